#include "agents/provider/http_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "agents/provider/retrying_model.h"
#include "agents/provider/scripted_server.h"
#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kKey[] = "sk-secret-0123456789";

const std::string kHello =
    HttpReplyText(200, R"({"choices": [{"finish_reason": "stop", "message":
      {"content": "Hello."}}], "usage": {"prompt_tokens": 10,
       "completion_tokens": 2}})");

const std::string kHelloStream = HttpStreamText(DataEvents(
    {R"({"choices":[{"delta":{"content":"Hel"}}]})",
     R"({"choices":[{"delta":{"content":"lo."}}]})",
     R"({"choices":[{"delta":{},"finish_reason":"stop"}]})",
     R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}})",
     "[DONE]"}));

std::string ErrorReply(int status, const std::string& message,
                       const std::string& headers = "",
                       const std::string& code = "") {
  return HttpReplyText(status,
                       R"({"error": {"message": ")" + message +
                           R"(", "code": ")" + code + "\"}}",
                       headers);
}

ModelRequest ShortRequest() {
  ModelRequest request;
  request.user_prompt = "Hi.";
  request.sampling.temperature = 0.5;
  return request;
}

HttpTransportOptions Options(const std::string& url) {
  HttpTransportOptions options;
  options.provider = "openai";
  options.base_url = url;
  options.body.model = "m";
  options.api_key = kKey;
  options.key_place = "SOME_KEY";
  Prices prices;
  prices.rates = {1e6, 0.5e6, 1e6, 2e6};
  prices.version = "2026-11-21";
  options.prices = prices;
  return options;
}

Delivery SendOnce(Transport& transport,
                  const ModelRequest& request = ShortRequest(),
                  double timeout_s = 60) {
  return transport.Send(request, transport.Body(request).text, timeout_s);
}

Bound BoundOfNext(const Transport& transport) {
  return transport.BoundOf(ShortRequest(), transport.Body(ShortRequest()));
}

// How a call ends on a server that gives this reply.
Delivery After(const std::string& reply) {
  const ScriptedServer server({reply});
  return SendOnce(*MakeHttpTransport(Options(server.Url())));
}

TEST(HttpTransportTest, AsksTheServerAndReadsItsStream) {
  const ScriptedServer server({kHelloStream});
  const auto transport = MakeHttpTransport(Options(server.Url() + "/"));
  EXPECT_EQ(transport->Provider(), "openai");
  EXPECT_EQ(transport->ModelName(), "m");
  const Delivery delivery = SendOnce(*transport);
  ASSERT_FALSE(delivery.refusal) << delivery.refusal->error.what;
  EXPECT_EQ(delivery.answer.text, "Hello.");
  EXPECT_EQ(delivery.answer.fault, "");
  EXPECT_EQ(delivery.answer.usage.output_tokens, 2);
  EXPECT_FALSE(delivery.answer.usage.estimated);
  EXPECT_DOUBLE_EQ(delivery.answer.cost_usd.value(), 14.0);  // 10 * 1 + 2 * 2.
  EXPECT_EQ(delivery.answer.price_version, "2026-11-21");
  EXPECT_EQ(delivery.http_status, 200);
  EXPECT_THAT(server.Requests().at(0),
              AllOf(HasSubstr("POST /v1/chat/completions HTTP/1.1\r\n"),
                    HasSubstr("\r\nAuthorization: Bearer " + std::string(kKey) +
                              "\r\n"),
                    HasSubstr("\r\nContent-Type: application/json\r\n"),
                    HasSubstr(R"("temperature":0.5)")));
}

TEST(HttpTransportTest, AnswersThatComeAtOnceAreUnderstood) {
  EXPECT_EQ(After(kHello).answer.text, "Hello.");
}

TEST(HttpTransportTest, MessagesGoToTheirPathWhetherTheBaseEndsInV1OrNot) {
  for (const bool with_version : {true, false}) {
    const ScriptedServer server({HttpReplyText(
        200, R"({"stop_reason":"end_turn","content":[{"type":"text",
                 "text":"Hello."}],"usage":{"input_tokens":1,
                 "output_tokens":1}})",
        "request-id: req_7\r\n")});
    std::string url = server.Url();
    if (!with_version) url.erase(url.size() - 3);
    HttpTransportOptions options = Options(url);
    options.dialect = &MessagesDialect();
    const Delivery delivery = SendOnce(*MakeHttpTransport(options));
    EXPECT_EQ(delivery.answer.text, "Hello.");
    EXPECT_EQ(delivery.request_id, "req_7");
    EXPECT_THAT(server.Requests().at(0),
                AllOf(HasSubstr("POST /v1/messages HTTP/1.1\r\n"),
                      HasSubstr("\r\nx-api-key: " + std::string(kKey)),
                      HasSubstr("\r\nanthropic-version: 2023-06-01"),
                      Not(HasSubstr("Authorization"))));
  }
}

TEST(HttpTransportTest, WithoutAKeyNoneIsSent) {
  const ScriptedServer server({kHello});
  HttpTransportOptions options = Options(server.Url());
  options.api_key.clear();
  EXPECT_EQ(SendOnce(*MakeHttpTransport(options)).answer.text, "Hello.");
  EXPECT_THAT(server.Requests().at(0), Not(HasSubstr("Authorization")));
}

TEST(HttpTransportTest, AKeyOverSeveralLinesIsRefusedBeforeItIsSent) {
  const ScriptedServer server({});
  HttpTransportOptions options = Options(server.Url());
  options.api_key = "sk-secret\r\nX-Injected: 1";
  const Delivery delivery = SendOnce(*MakeHttpTransport(options));
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.code, Errc::kUsage);
  EXPECT_THAT(delivery.refusal->error.what, Not(HasSubstr("sk-secret")));
}

TEST(HttpTransportTest, UserInfoOfTheUrlIsNotShown) {
  const auto transport =
      MakeHttpTransport(Options("ftp://me:pw@127.0.0.1:1/v1?key=k"));
  const Delivery delivery = SendOnce(*transport);
  ASSERT_TRUE(delivery.refusal);
  EXPECT_THAT(delivery.refusal->error.what,
              AllOf(HasSubstr("ftp://127.0.0.1:1/v1"), Not(HasSubstr("pw")),
                    Not(HasSubstr("key=k"))));
}

TEST(HttpTransportTest, TokensAreToldAsTheyCome) {
  const ScriptedServer server({HttpStreamText(
      DataEvents({R"({"choices":[{"delta":{"content":"12345678"}}]})"}) +
      ScriptedServer::kPause +
      DataEvents({R"({"choices":[{"delta":{"content":"1234"}}]})",
                  R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"}))});
  std::vector<std::int64_t> told;
  ModelRequest request = ShortRequest();
  request.on_progress = [&](std::int64_t tokens) { told.push_back(tokens); };
  EXPECT_EQ(
      SendOnce(*MakeHttpTransport(Options(server.Url())), request).answer.text,
      "123456781234");
  EXPECT_THAT(told, ElementsAre(2, 3));
}

// The body is 90 bytes or so, a quarter of them tokens; "Hello." makes two.
TEST(HttpTransportTest, UsageThatNobodyTellsIsEstimated) {
  const ScriptedServer server(
      {HttpStreamText(DataEvents({R"({"choices":[{"delta":{"content":"Hello."},
           "finish_reason":"stop"}]})"}))});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  const auto body_bytes =
      static_cast<std::int64_t>(transport->Body(ShortRequest()).text.size());
  const Usage usage = SendOnce(*transport).answer.usage;
  EXPECT_TRUE(usage.estimated);
  EXPECT_EQ(usage.input_tokens, body_bytes / 4);
  EXPECT_EQ(usage.output_tokens, 2);
}

TEST(HttpTransportTest, WithoutAPriceTheCostIsUnknown) {
  const ScriptedServer server({kHello});
  HttpTransportOptions options = Options(server.Url());
  options.prices.reset();
  const auto transport = MakeHttpTransport(options);
  EXPECT_EQ(transport->BoundOf(ShortRequest(), {}).cost_usd, std::nullopt);
  EXPECT_EQ(SendOnce(*transport).answer.cost_usd, std::nullopt);
}

// At a dollar a token in and two out: 1003 and 50.
TEST(HttpTransportTest, ACallIsBoundByItsBytesAndTheLimitThatItSends) {
  const auto transport = MakeHttpTransport(Options("http://127.0.0.1:1/v1"));
  ModelRequest request = ShortRequest();
  request.sampling.max_output_tokens = 50;
  const Bound bound =
      transport->BoundOf(request, {"abc", transport->Body(request).sampling});
  EXPECT_EQ(bound.input_tokens, 3 + 1000);
  EXPECT_EQ(bound.output_tokens, 50);
  EXPECT_EQ(bound.cost_usd, 1003.0 + 2 * 50);
  EXPECT_EQ(bound.input_usd, 1003.0);
}

// A server that takes no limit under either name.
TEST(HttpTransportTest, WithoutALimitTheModelsOwnIsTheBound) {
  for (const auto own :
       {std::optional<std::int64_t>(700), std::optional<std::int64_t>()}) {
    const ScriptedServer server(
        {ErrorReply(400, "Unsupported parameter: max_tokens"),
         ErrorReply(400, "Unsupported parameter: max_completion_tokens"),
         kHello});
    HttpTransportOptions options = Options(server.Url());
    options.output_tokens = own;
    const auto transport = MakeHttpTransport(options);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(BoundOfNext(*transport).output_tokens,
                ShortRequest().sampling.max_output_tokens);
      EXPECT_EQ(SendOnce(*transport).refusal->again, Again::kAtOnce);
    }
    const Bound bound = BoundOfNext(*transport);
    EXPECT_EQ(bound.output_tokens, own);
    EXPECT_EQ(bound.cost_usd.has_value(), own.has_value());
    EXPECT_FALSE(SendOnce(*transport).refusal);
  }
}

TEST(HttpTransportTest, TheServersOwnCostWins) {
  const Delivery delivery =
      After(HttpReplyText(200, R"({"choices": [{"message": {"content": "x"}}],
                         "usage": {"prompt_tokens": 1000, "cost": 0.25}})"));
  EXPECT_EQ(delivery.answer.cost_usd, 0.25);
  EXPECT_EQ(delivery.answer.price_version, "provider");
}

struct Case {
  const char* name;
  std::string reply;
  Errc code;
  Again again;
  bool throttled;
  bool may_be_billed;
};

TEST(HttpTransportTest, ARefusalSaysWhatToDo) {
  const auto told = [](const std::string& reply) {
    return After(reply).refusal->error.what;
  };
  EXPECT_THAT(told(ErrorReply(401, "No")),
              HasSubstr("HTTP 401: No (check the key in SOME_KEY)"));
  EXPECT_THAT(told(ErrorReply(402, "Pay")), HasSubstr("(no credit or quota"));
  EXPECT_THAT(told(ErrorReply(404, "No")), HasSubstr("model's name, m,"));
  EXPECT_THAT(told(ErrorReply(429, "Slow")), HasSubstr("(the provider thr"));
  EXPECT_THAT(told(ErrorReply(529, "Oh")), HasSubstr("(the provider is in"));
  EXPECT_THAT(told(HttpReplyText(302, "")), HasSubstr("(check the base URL"));
  EXPECT_THAT(told(HttpReplyText(200, "<p>")),
              HasSubstr("(check the base URL"));
  const auto nobody = MakeHttpTransport(Options("http://127.0.0.1:1/v1"));
  EXPECT_THAT(SendOnce(*nobody).refusal->error.what,
              HasSubstr("(check the base URL, and the server)"));
}

class HttpRefusalTest : public testing::TestWithParam<Case> {};

TEST_P(HttpRefusalTest, IsJudgedByWhatTheServerSays) {
  const Case& expected = GetParam();
  const Delivery delivery = After(expected.reply);
  ASSERT_TRUE(delivery.refusal);
  const Refusal& refusal = *delivery.refusal;
  EXPECT_EQ(refusal.error.code, expected.code) << refusal.error.what;
  EXPECT_EQ(refusal.again, expected.again) << refusal.error.what;
  EXPECT_EQ(refusal.throttled, expected.throttled);
  EXPECT_EQ(refusal.may_be_billed, expected.may_be_billed);
  EXPECT_THAT(refusal.error.what, HasSubstr("/v1/chat/completions: "));
  // What was refused costs nothing; what may be billed costs what is likely.
  EXPECT_EQ(delivery.answer.cost_usd.value() > 0, expected.may_be_billed);
}

const std::string kHalf =
    DataEvents({R"({"choices":[{"delta":{"content":"Hel"}}]})"});

INSTANTIATE_TEST_SUITE_P(
    Replies, HttpRefusalTest,
    testing::Values(
        Case{"WrongKey", ErrorReply(401, "a"), Errc::kUsage, Again::kNever,
             false, false},
        Case{"NoSuchPage", HttpReplyText(404, "no such page"), Errc::kUsage,
             Again::kNever, false, false},
        Case{"Redirect",
             HttpReplyText(302, "", "Location: http://127.0.0.1:1/\r\n"),
             Errc::kUsage, Again::kNever, false, false},
        Case{"TimedOut", ErrorReply(408, "a"), Errc::kTimeout, Again::kLater,
             false, false},
        Case{"Locked", ErrorReply(409, "a"), Errc::kUnavailable, Again::kLater,
             false, false},
        Case{"Throttled", ErrorReply(429, "Slow"), Errc::kBusy, Again::kLater,
             true, false},
        Case{"OutOfQuota", ErrorReply(429, "Pay", "", "insufficient_quota"),
             Errc::kUsage, Again::kNever, false, false},
        Case{"ThrottledUntilOnePays",
             ErrorReply(429, "Add a payment method: account/billing", "",
                        "rate_limit_exceeded"),
             Errc::kBusy, Again::kLater, true, false},
        Case{"OutOfQuotaForAWhile",
             ErrorReply(429, "You exceeded your current quota",
                        "Retry-After: 7\r\n"),
             Errc::kBusy, Again::kLater, true, false},
        Case{"OutOfCredit", ErrorReply(402, "Pay"), Errc::kUsage, Again::kNever,
             false, false},
        Case{"LowBalance", ErrorReply(400, "Your credit balance is too low"),
             Errc::kUsage, Again::kNever, false, false},
        Case{"Broken", ErrorReply(500, "a"), Errc::kUnavailable, Again::kLater,
             false, false},
        Case{"Overloaded", ErrorReply(529, "a"), Errc::kUnavailable,
             Again::kLater, true, false},
        Case{"MayNotRetry", ErrorReply(503, "a", "x-should-retry: false\r\n"),
             Errc::kUnavailable, Again::kNever, false, false},
        Case{"ShouldRetry", ErrorReply(400, "a", "x-should-retry: true\r\n"),
             Errc::kUsage, Again::kLater, false, false},
        Case{"ThrottledIn200",
             HttpReplyText(200,
                           R"({"error": {"code": 429, "message": "Slow"}})"),
             Errc::kBusy, Again::kLater, true, false},
        Case{"WrongKeyIn200",
             HttpReplyText(200, R"({"error": {"code": 401, "message": "No"},
                "choices": [{"finish_reason": "error",
                             "message": {"content": ""}}]})"),
             Errc::kUsage, Again::kNever, false, false},
        Case{"OverloadedInStream",
             HttpStreamText(DataEvents({R"({"type":"error","error":
                {"type":"overloaded_error","message":"Overloaded"}})"})),
             Errc::kUnavailable, Again::kLater, true, false},
        Case{"BrokenInMidStream",
             HttpStreamText(kHalf + DataEvents({R"({"error":
                {"code":502,"message":"Gone"}})"})),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"BrokenAfterReasoning",
             HttpStreamText(DataEvents(
                 {R"({"choices":[{"delta":{"reasoning_content":"Hm."}}]})",
                  R"({"error":{"code":502,"message":"Gone"}})"})),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"BrokenAfterRefusing",
             HttpStreamText(
                 DataEvents({R"({"choices":[{"delta":{"refusal":"No."}}]})",
                             R"({"error":{"code":502,"message":"Gone"}})"})),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"CutStream", HttpStreamText(kHalf), Errc::kUnavailable,
             Again::kLater, false, true},
        Case{"EmptyStream", HttpStreamText(""), Errc::kUnavailable,
             Again::kLater, false, true},
        Case{"CutEvent", HttpStreamText(kHalf + "data: {\"choi"),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"ResetStream",
             HttpStreamText(kHalf + ScriptedServer::kPause +
                            ScriptedServer::kReset),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"Closed", ScriptedServer::kClose, Errc::kUnavailable,
             Again::kLater, false, true},
        Case{"DamagedStream",
             HttpStreamText(kHalf +
                            DataEvents({R"({"choices":[{"del)", "[DONE]"})),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"CutChunk",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"CutBody",
             "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"choices\"",
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"Empty", HttpReplyText(200, ""), Errc::kUnavailable, Again::kLater,
             false, true},
        Case{"NoContent", "HTTP/1.1 204 No\r\n\r\n", Errc::kUnavailable,
             Again::kLater, false, true},
        Case{"Page", HttpReplyText(200, "<html>"), Errc::kUnavailable,
             Again::kLater, false, true},
        Case{"CutJson", HttpReplyText(200, R"({"choices": [{"mess)"),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"NoChoices", HttpReplyText(200, R"({"choices": []})"),
             Errc::kUnavailable, Again::kLater, false, true},
        Case{"NoHttp", "Hello.\r\n\r\n", Errc::kUnavailable, Again::kLater,
             false, true},
        Case{"BadEncoding",
             HttpReplyText(200, "no gzip", "Content-Encoding: gzip\r\n"),
             Errc::kUnavailable, Again::kLater, false, true}),
    [](const auto& test) { return test.param.name; });

TEST(HttpTransportTest, TheWaitThatAServerAsksForIsPassedOn) {
  EXPECT_EQ(
      After(ErrorReply(429, "Slow", "Retry-After: 7\r\n")).refusal->wait_s,
      7.0);
  EXPECT_EQ(After(ErrorReply(429, "Slow",
                             "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                             "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\n"))
                .refusal->wait_s,
            30.0);
  EXPECT_EQ(After(ErrorReply(429, "Slow")).refusal->wait_s, std::nullopt);
}

TEST(HttpTransportTest, MoneyThatIsGoneIsCalledSo) {
  EXPECT_THAT(After(ErrorReply(402, "Pay")).refusal->error.what,
              HasSubstr("no credit or quota is left"));
}

TEST(HttpTransportTest, AnAnswerBesideAnErrorCounts) {
  const Delivery delivery = After(HttpReplyText(
      200, R"({"error": {"message": "slow log"}, "choices": [{"finish_reason":
               "stop", "message": {"content": "x"}}]})"));
  EXPECT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.text, "x");
}

TEST(HttpTransportTest, HalfAnAnswerWasPaidFor) {
  const Delivery delivery =
      After(HttpReplyText(200, R"({"choices": [{"finish_reason": "length",
                                    "message": {"content": "ha"}}]})"));
  ASSERT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.text, "ha");
  EXPECT_THAT(delivery.answer.fault, HasSubstr("cut at the output limit"));
}

TEST(HttpTransportTest, EndlessAnswersAreGivenUp) {
  std::string event = R"({"choices":[{"delta":{"content":")";
  event += std::string(std::size_t{17} << 20, 'x') + R"("}}]})";
  const Delivery delivery = After(HttpStreamText(DataEvents({event})));
  ASSERT_TRUE(delivery.refusal);
  EXPECT_THAT(delivery.refusal->error.what, HasSubstr("too long"));
}

TEST(HttpTransportTest, LongMessagesAreCutAndTheirAdviceIsNot) {
  const std::string endless(std::size_t{1} << 20, 'x');
  const std::string what = After(ErrorReply(429, endless)).refusal->error.what;
  EXPECT_LT(what.size(), 1200u);
  EXPECT_THAT(what, HasSubstr("x ... (the provider throttles: try later)"));
  const Delivery refused =
      After(HttpReplyText(200, R"({"choices": [{"message": {"content": null,
                                  "refusal": ")" +
                                   endless + "\"}}]}"));
  EXPECT_EQ(refused.answer.fault.size(), 1024u);
}

TEST(HttpTransportTest, EndlessRefusalsAreGivenUp) {
  const std::string event = R"({"choices":[{"delta":{"refusal":")" +
                            std::string(std::size_t{9} << 20, 'x') + R"("}}]})";
  const Delivery delivery = After(HttpStreamText(DataEvents({event, event})));
  ASSERT_TRUE(delivery.refusal);
  EXPECT_THAT(delivery.refusal->error.what, HasSubstr("too long"));
}

// Whatever a server says, in whatever place, the key is in nothing that we
// keep.
TEST(HttpTransportTest, AServerThatEchoesTheKeyDoesNotSpreadIt) {
  const std::string key = kKey;
  const std::string half = key.substr(0, 9), rest = key.substr(9);
  const std::string padding(290, 'x');  // The key is where an excerpt ends.
  for (const std::string& reply :
       {ErrorReply(401, "Bad key: " + key),
        ErrorReply(400, "a", "request-id: " + key + "\r\n"),
        HttpReplyText(403, padding + key), HttpReplyText(200, padding + key),
        HttpReplyText(500, R"({"error": {"x": ")" + padding + key + "\"}}"),
        HttpStreamText(
            DataEvents({R"({"error": {"message": ")" + key + "\"}}"})),
        HttpStreamText(DataEvents(
            {R"({"choices":[{"delta":{"content":")" + half + "\"}}]}",
             R"({"choices":[{"delta":{"content":")" + rest +
                 R"("},"finish_reason":"stop"}]})"})),
        HttpReplyText(200, R"({"choices": [{"message": {"content": "x",
                              "refusal": ")" +
                               key + "\"}}]}")}) {
    const Delivery delivery = After(reply);
    const std::string kept =
        delivery.answer.text + delivery.answer.fault + delivery.request_id +
        (delivery.refusal ? delivery.refusal->error.what : "");
    EXPECT_THAT(kept, Not(HasSubstr(half))) << reply;
    EXPECT_THAT(kept, Not(HasSubstr("0123456789"))) << reply;
  }
}

// JSON in JSON: the inner one spells the s with an escape.
TEST(HttpTransportTest, TheKeyIsTakenOutOfAnswersAsJson) {
  const ScriptedServer server(
      {HttpReplyText(200, R"({"choices": [{"message": {"content":
           "{\"source\": \"\\u0073k-secret-0123456789\\n\"}"}}]})")});
  HttpTransportOptions options = Options(server.Url());
  options.body.structured = true;
  ModelRequest request = ShortRequest();
  request.role = Role::kCode;
  EXPECT_EQ(SendOnce(*MakeHttpTransport(options), request).answer.text,
            "```\n[key]\n```\n");
}

TEST(HttpTransportTest, TheBodyHoldsNoKey) {
  const auto transport = MakeHttpTransport(Options("http://127.0.0.1:1/v1"));
  EXPECT_THAT(transport->Body(ShortRequest()).text, Not(HasSubstr(kKey)));
}

TEST(HttpTransportTest, RejectedParametersAreDroppedForGood) {
  const ScriptedServer server(
      {ErrorReply(400, "Unsupported value: 'temperature'"),
       ErrorReply(400, "Unsupported parameter: 'max_tokens'"), kHello});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  EXPECT_EQ(SendOnce(*transport).refusal->again, Again::kAtOnce);
  EXPECT_EQ(SendOnce(*transport).refusal->again, Again::kAtOnce);
  EXPECT_FALSE(SendOnce(*transport).refusal);
  const std::vector<std::string> requests = server.Requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_THAT(requests[1], AllOf(Not(HasSubstr("temperature")),
                                 HasSubstr("\"max_tokens\"")));
  EXPECT_THAT(requests[2], AllOf(Not(HasSubstr("temperature")),
                                 HasSubstr("\"max_completion_tokens\"")));
}

// Inside a 200, too.
TEST(HttpTransportTest, ASchemaThatIsRejectedIsDropped) {
  const std::string no = R"({"error": {"type": "invalid_request_error",
      "code": "unsupported_value", "message": "Unsupported: 'json_schema'"}})";
  for (const Dialect* dialect :
       {&ChatDialect(), &ResponsesDialect(), &MessagesDialect()}) {
    for (const std::string& reply :
         {HttpReplyText(400, no), HttpReplyText(200, no)}) {
      const ScriptedServer server({reply});
      HttpTransportOptions options = Options(server.Url());
      options.dialect = dialect;
      options.body.structured = true;
      const auto transport = MakeHttpTransport(options);
      EXPECT_THAT(transport->Body(ShortRequest()).text,
                  HasSubstr("json_schema"));
      EXPECT_EQ(SendOnce(*transport).refusal->again, Again::kAtOnce);
      EXPECT_THAT(transport->Body(ShortRequest()).text,
                  Not(HasSubstr("json_schema")));
    }
  }
}

TEST(HttpTransportTest, AParameterIsNotDroppedTwice) {
  const std::string no = ErrorReply(400, "Unsupported: 'temperature'");
  const ScriptedServer server({no, no});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  EXPECT_EQ(SendOnce(*transport).refusal->again, Again::kAtOnce);
  const Delivery second = SendOnce(*transport);
  EXPECT_EQ(second.refusal->again, Again::kNever);
  EXPECT_THAT(second.refusal->error.what,
              HasSubstr("HTTP 400: Unsupported: 'temperature'"));
}

// What the user asked for is not dropped as what the program chose is.
TEST(HttpTransportTest, AnEffortThatIsRefusedEndsIt) {
  const ScriptedServer server(
      {ErrorReply(400, "Unsupported parameter: 'reasoning_effort'"), kHello});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  ModelRequest request = ShortRequest();
  request.sampling.effort = "high";
  const Delivery delivery = SendOnce(*transport, request);
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->again, Again::kNever);
  EXPECT_EQ(delivery.refusal->error.code, Errc::kUsage);
  EXPECT_EQ(transport->Body(request).sampling.effort, "high");
}

// A body that has learnt says so.
TEST(HttpTransportTest, WhatIsDroppedIsNotRecordedAsSent) {
  const ScriptedServer server({ErrorReply(400, "Unsupported: 'temperature'")});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  EXPECT_EQ(transport->Body(ShortRequest()).sampling.temperature, 0.5);
  (void)SendOnce(*transport);
  EXPECT_EQ(transport->Body(ShortRequest()).sampling.temperature, std::nullopt);
}

TEST(HttpTransportTest, TheServerSaysWhichModelItRan) {
  EXPECT_EQ(After(HttpStreamText(DataEvents(
                      {R"({"model":"m-2026","choices":[{"delta":{"content":
                           "x"},"finish_reason":"stop"}]})"})))
                .served_model,
            "m-2026");
  EXPECT_EQ(After(HttpReplyText(
                      200, R"({"choices": [{"message": {"content": "x"}}]})"))
                .served_model,
            std::nullopt);
}

// What another thread has learnt meanwhile counts as well.
TEST(HttpTransportTest, ABodyThatIsOutOfDateIsSentAnew) {
  const std::string no = ErrorReply(400, "Unsupported: 'temperature'");
  const ScriptedServer server({no, no});
  const auto transport = MakeHttpTransport(Options(server.Url()));
  const ModelRequest request = ShortRequest();
  const std::string old_body = transport->Body(request).text;
  EXPECT_EQ(transport->Send(request, old_body, 60).refusal->again,
            Again::kAtOnce);
  EXPECT_EQ(transport->Send(request, old_body, 60).refusal->again,
            Again::kAtOnce);
}

TEST(HttpTransportTest, AnAnswerAsJsonBecomesProse) {
  const ScriptedServer server(
      {HttpReplyText(200, R"({"choices": [{"message": {"content":
           "{\"source\": \"int x;\\n\"}"}}]})"),
       kHello});
  HttpTransportOptions options = Options(server.Url());
  options.body.structured = true;
  const auto transport = MakeHttpTransport(options);
  ModelRequest request = ShortRequest();
  request.role = Role::kCode;
  EXPECT_EQ(SendOnce(*transport, request).answer.text, "```\nint x;\n```\n");
  EXPECT_EQ(SendOnce(*transport, request).answer.text,
            "Hello.");  // As it came.
}

TEST(HttpTransportTest, ASilentStreamTimesOut) {
  const ScriptedServer server({HttpStreamText(kHalf + ScriptedServer::kHang)});
  const Delivery delivery =
      SendOnce(*MakeHttpTransport(Options(server.Url())), ShortRequest(), 0.3);
  EXPECT_EQ(delivery.refusal->error.code, Errc::kTimeout);
  EXPECT_TRUE(delivery.refusal->may_be_billed);
  EXPECT_EQ(delivery.answer.text, "Hel");
}

// It may be thinking, and another request would be paid for as well.
TEST(HttpTransportTest, SilenceIsNotAskedAgain) {
  const ScriptedServer server({HttpStreamText(ScriptedServer::kHang)});
  HttpTransportOptions options = Options(server.Url());
  options.silence_s = 1;
  const Delivery delivery = SendOnce(*MakeHttpTransport(options));
  EXPECT_EQ(delivery.refusal->error.code, Errc::kTimeout);
  EXPECT_EQ(delivery.refusal->again, Again::kNever);
  EXPECT_TRUE(delivery.refusal->may_be_billed);
  EXPECT_THAT(delivery.refusal->error.what, HasSubstr("(silence_s of"));
}

// What is silent in the middle of an answer does not think.
TEST(HttpTransportTest, AnAnswerThatStallsIsAskedAgain) {
  const ScriptedServer server({HttpStreamText(kHalf + ScriptedServer::kHang)});
  HttpTransportOptions options = Options(server.Url());
  options.silence_s = 1;
  const Delivery delivery = SendOnce(*MakeHttpTransport(options));
  EXPECT_EQ(delivery.refusal->error.code, Errc::kTimeout);
  EXPECT_EQ(delivery.refusal->again, Again::kLater);
  EXPECT_TRUE(delivery.refusal->may_be_billed);
}

// Its limit would be a second; the call's is what ends it.
TEST(HttpTransportTest, AnAnswerThatIsNotStreamedMayBeLongInComing) {
  const ScriptedServer server({ScriptedServer::kHang});
  HttpTransportOptions options = Options(server.Url());
  options.body.stream = false;
  options.silence_s = 1;
  const Delivery delivery =
      SendOnce(*MakeHttpTransport(options), ShortRequest(), 2.5);
  EXPECT_THAT(delivery.refusal->error.what, HasSubstr("(model_timeout_s"));
}

// Cancels as soon as the server has the request.
Delivery Cancelled(const std::string& reply) {
  const ScriptedServer server({reply});
  std::atomic<bool> cancel = false;
  ModelRequest request = ShortRequest();
  request.cancel = &cancel;
  std::thread user([&] {
    while (server.Requests().empty()) std::this_thread::yield();
    cancel = true;
  });
  Delivery delivery =
      SendOnce(*MakeHttpTransport(Options(server.Url())), request);
  user.join();
  return delivery;
}

TEST(HttpTransportTest, CancellingEndsACallOnTheWire) {
  EXPECT_EQ(Cancelled(ScriptedServer::kHang).refusal->error.code,
            Errc::kCancelled);
  const Delivery silent =
      Cancelled(HttpStreamText(kHalf + ScriptedServer::kHang));
  EXPECT_EQ(silent.refusal->error.code, Errc::kCancelled);
  EXPECT_EQ(silent.refusal->again, Again::kNever);
  EXPECT_TRUE(silent.refusal->may_be_billed);
}

// Eight threads, one transport, one retrying model, a server with a bad day.
TEST(HttpTransportTest, ThreadsShareATransport) {
  std::vector<std::string> replies;
  for (int i = 0; i < 8; ++i) {
    replies.push_back(i % 2 == 0 ? kHelloStream : ErrorReply(503, "a"));
    replies.push_back(kHello);
  }
  const ScriptedServer server(replies);
  RealTimer timer;
  const auto retrying_model = MakeRetryingModel(
      MakeHttpTransport(Options(server.Url())),
      std::make_shared<Throttle>(Limits{.concurrent = 4}, timer), timer, {});
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2; ++i) {
        const auto answer = retrying_model->Complete(ShortRequest());
        good += answer && answer->text == "Hello.";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 12);  // And four were refused: 16 in all.
  EXPECT_EQ(server.Requests().size(), 16u);
}

}  // namespace
}  // namespace coppice::agents
