#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "agents/providers.h"
#include "agents/scripted_server.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHello =
    HttpReplyText(200, R"({"choices": [{"finish_reason": "stop", "message":
      {"content": "Hello."}}], "usage": {"prompt_tokens": 10,
       "completion_tokens": 2}})");

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

// Talks to a scripted server; waits are noted, not waited.
class OpenAiTest : public testing::Test {
 protected:
  OpenAiOptions Options(const std::string& url) {
    OpenAiOptions options;
    options.base_url = url;
    options.model = "m";
    options.api_key = "sk-secret";
    options.timeout_s = 100;
    options.wait = [this](double seconds) { waits_s_.push_back(seconds); };
    return options;
  }

  Result<ModelAnswer> Ask(const ScriptedServer& server) {
    return MakeOpenAiModel(Options(server.Url()))->Complete(ShortRequest());
  }

  // The error of a server that gives these replies.
  Error ErrorOf(std::vector<std::string> replies) {
    const ScriptedServer server(std::move(replies));
    const Result<ModelAnswer> answer = Ask(server);
    return answer ? Error{Errc::kIo, "no error"} : answer.error();
  }

  std::vector<double> waits_s_;
};

TEST_F(OpenAiTest, AsksTheServerAndReadsItsAnswer) {
  const ScriptedServer server({kHello});
  OpenAiOptions options = Options(server.Url() + "/");
  options.usd_per_million_input = 1e6;
  options.usd_per_million_output = 2e6;
  const auto model = MakeOpenAiModel(options);
  EXPECT_EQ(model->Provider(), "openai");
  EXPECT_EQ(model->ModelName(), "m");
  const ModelAnswer answer = model->Complete(ShortRequest()).value();
  EXPECT_EQ(answer.text, "Hello.");
  EXPECT_EQ(answer.usage.output_tokens, 2);
  EXPECT_DOUBLE_EQ(answer.cost_usd.value(), 14.0);  // 10 * 1 + 2 * 2.
  EXPECT_THAT(server.Requests().at(0),
              AllOf(HasSubstr("POST /v1/chat/completions HTTP/1.1\r\n"),
                    HasSubstr("\r\nAuthorization: Bearer sk-secret\r\n"),
                    HasSubstr("\r\nContent-Type: application/json\r\n"),
                    HasSubstr(R"("temperature":0.5)")));
}

TEST_F(OpenAiTest, WithoutAKeyNoneIsSent) {
  const ScriptedServer server({kHello});
  OpenAiOptions options = Options(server.Url());
  options.api_key.clear();
  EXPECT_TRUE(MakeOpenAiModel(options)->Complete(ShortRequest()));
  EXPECT_THAT(server.Requests().at(0), Not(HasSubstr("Authorization")));
}

TEST_F(OpenAiTest, AWrongKeyIsAUsageErrorWithoutTheKey) {
  const Error error = ErrorOf({ErrorReply(401, "Bad key: sk-secret")});
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what, AllOf(HasSubstr("HTTP 401: Bad key: [key]"),
                                Not(HasSubstr("sk-secret"))));
  EXPECT_THAT(waits_s_, ElementsAre());
}

TEST_F(OpenAiTest, AKeyOverSeveralLinesIsRefusedBeforeItIsSent) {
  const ScriptedServer server({});
  OpenAiOptions options = Options(server.Url());
  options.api_key = "sk-secret\r\nX-Injected: 1";
  const Result<ModelAnswer> answer =
      MakeOpenAiModel(options)->Complete(ShortRequest());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUsage);
  EXPECT_THAT(answer.error().what, Not(HasSubstr("sk-secret")));
}

TEST_F(OpenAiTest, UserInfoOfTheUrlIsNotShown) {
  OpenAiOptions options = Options("ftp://me:pw@127.0.0.1:1/v1?key=k");
  const Result<ModelAnswer> answer =
      MakeOpenAiModel(options)->Complete(ShortRequest());
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what,
              AllOf(HasSubstr("ftp://127.0.0.1:1/v1"), Not(HasSubstr("pw")),
                    Not(HasSubstr("key=k"))));
}

TEST_F(OpenAiTest, ErrorsNameTheUrlThatWasTried) {
  const Error error = ErrorOf({HttpReplyText(404, "no such page")});
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what, HasSubstr("/v1/chat/completions: HTTP 404: no such"));
}

TEST_F(OpenAiTest, ThrottlingIsWaitedOutAsTheServerSays) {
  const ScriptedServer server({ErrorReply(429, "Slow", "Retry-After: 7\r\n"),
                               ErrorReply(503, "Full"), kHello});
  EXPECT_EQ(Ask(server).value().text, "Hello.");
  EXPECT_THAT(waits_s_, ElementsAre(7.0, 1.0));
  EXPECT_EQ(server.Requests().size(), 3u);
}

// 0.5 * 2^k, k = 0..3, then no more.
TEST_F(OpenAiTest, RetriesEndWithTheLastError) {
  const Error error =
      ErrorOf({ErrorReply(500, "a"), ErrorReply(500, "b"), ErrorReply(500, "c"),
               ErrorReply(500, "d"), ErrorReply(429, "e")});
  EXPECT_EQ(error.code, Errc::kBusy);
  EXPECT_THAT(error.what, HasSubstr("HTTP 429: e"));
  EXPECT_THAT(waits_s_, ElementsAre(0.5, 1.0, 2.0, 4.0));
}

TEST_F(OpenAiTest, AWaitBeyondTheLimitIsNotBegun) {
  EXPECT_EQ(ErrorOf({ErrorReply(429, "Slow", "Retry-After: 61\r\n")}).code,
            Errc::kBusy);
  EXPECT_THAT(waits_s_, ElementsAre());
}

TEST_F(OpenAiTest, WaitsCountAgainstTheTimeOfTheCall) {
  const ScriptedServer server({ErrorReply(503, "a", "Retry-After: 60\r\n"),
                               ErrorReply(503, "b", "Retry-After: 60\r\n")});
  EXPECT_EQ(Ask(server).error().code, Errc::kUnavailable);
  EXPECT_THAT(waits_s_, ElementsAre(60.0));  // Of 100 s.
}

TEST_F(OpenAiTest, ServersMayForbidOrDemandARetry) {
  EXPECT_EQ(ErrorOf({ErrorReply(503, "a", "x-should-retry: false\r\n")}).code,
            Errc::kUnavailable);
  EXPECT_THAT(waits_s_, ElementsAre());
  const ScriptedServer server(
      {ErrorReply(400, "a", "x-should-retry: true\r\n"), kHello});
  EXPECT_TRUE(Ask(server));
}

TEST_F(OpenAiTest, AnEmptyPurseIsNotRetried) {
  const Error error =
      ErrorOf({ErrorReply(429, "Pay up", "", "insufficient_quota")});
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(waits_s_, ElementsAre());
}

TEST_F(OpenAiTest, ALostConnectionIsTriedAgain) {
  const ScriptedServer server({ScriptedServer::kClose, kHello});
  EXPECT_EQ(Ask(server).value().text, "Hello.");
  EXPECT_THAT(waits_s_, ElementsAre(0.5));
}

TEST_F(OpenAiTest, ARefusedConnectionEndsAsUnavailable) {
  OpenAiOptions options = Options("http://127.0.0.1:1/v1");
  options.max_retries = 1;
  const Result<ModelAnswer> answer =
      MakeOpenAiModel(options)->Complete(ShortRequest());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUnavailable);
  EXPECT_THAT(waits_s_, ElementsAre(0.5));
}

TEST_F(OpenAiTest, ASilentServerIsATimeoutAndNotRetried) {
  const ScriptedServer server({ScriptedServer::kHang});
  OpenAiOptions options = Options(server.Url());
  options.timeout_s = 0.2;
  EXPECT_EQ(MakeOpenAiModel(options)->Complete(ShortRequest()).error().code,
            Errc::kTimeout);
  EXPECT_EQ(server.Requests().size(), 1u);
}

TEST_F(OpenAiTest, CancellingEndsACallOnTheWire) {
  const ScriptedServer server({ScriptedServer::kHang});
  std::atomic<bool> cancel = false;
  OpenAiOptions options = Options(server.Url());
  options.cancel = &cancel;
  std::thread user([&] {
    while (server.Requests().empty()) std::this_thread::yield();
    cancel = true;
  });
  const Result<ModelAnswer> answer =
      MakeOpenAiModel(options)->Complete(ShortRequest());
  user.join();
  EXPECT_EQ(answer.error().code, Errc::kCancelled);
}

TEST_F(OpenAiTest, CancellingEndsAWait) {
  const ScriptedServer server(
      {ErrorReply(503, "a", "Retry-After: 50\r\n"), kHello});
  std::atomic<bool> cancel = false;
  OpenAiOptions options = Options(server.Url());
  options.cancel = &cancel;
  options.wait = [&](double) {
    while (!cancel) std::this_thread::yield();
  };
  std::thread user([&] {
    while (server.Requests().empty()) std::this_thread::yield();
    cancel = true;
  });
  const Result<ModelAnswer> answer =
      MakeOpenAiModel(options)->Complete(ShortRequest());
  user.join();
  EXPECT_EQ(answer.error().code, Errc::kCancelled);
  EXPECT_EQ(server.Requests().size(), 1u);
}

TEST_F(OpenAiTest, NothingIsSentOnceCancelled) {
  const ScriptedServer server({kHello});
  const std::atomic<bool> cancel = true;
  OpenAiOptions options = Options(server.Url());
  options.cancel = &cancel;
  EXPECT_EQ(MakeOpenAiModel(options)->Complete(ShortRequest()).error().code,
            Errc::kCancelled);
  EXPECT_TRUE(server.Requests().empty());
}

TEST_F(OpenAiTest, RejectedParametersAreDroppedForGood) {
  const ScriptedServer server(
      {ErrorReply(400, "Unsupported value: 'temperature'"),
       ErrorReply(400, "Unsupported parameter: 'max_tokens'"), kHello, kHello});
  const auto model = MakeOpenAiModel(Options(server.Url()));
  EXPECT_TRUE(model->Complete(ShortRequest()));
  EXPECT_TRUE(model->Complete(ShortRequest()));
  const std::vector<std::string> requests = server.Requests();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_THAT(requests[1], AllOf(Not(HasSubstr("temperature")),
                                 HasSubstr("\"max_tokens\"")));
  for (const std::string& request : {requests[2], requests[3]}) {
    EXPECT_THAT(request, AllOf(Not(HasSubstr("temperature")),
                               HasSubstr("\"max_completion_tokens\"")));
  }
  EXPECT_THAT(waits_s_, ElementsAre());
}

TEST_F(OpenAiTest, AParameterIsNotDroppedTwice) {
  const std::string no = ErrorReply(400, "Unsupported: 'temperature'");
  const Error error = ErrorOf({no, no});
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what, HasSubstr("HTTP 400: Unsupported: 'temperature'"));
}

TEST_F(OpenAiTest, AFailureInsideStatus200CountsByItsOwnCode) {
  const std::string wrapped =
      HttpReplyText(200, R"({"error": {"code": 429, "message": "Slow"}})");
  const ScriptedServer server({wrapped, kHello});
  EXPECT_TRUE(Ask(server));
  EXPECT_THAT(waits_s_, ElementsAre(0.5));
  EXPECT_EQ(ErrorOf({HttpReplyText(
                        200, R"({"error": {"code": 401, "message": "No"}})")})
                .code,
            Errc::kUsage);
}

TEST_F(OpenAiTest, HalfAnAnswerIsNotAskedForAgain) {
  const ScriptedServer server(
      {HttpReplyText(200, R"({"choices": [{"finish_reason": "length",
                            "message": {"content": "ha"}}]})")});
  const Result<ModelAnswer> answer = Ask(server);
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(answer->text, "ha");
  EXPECT_THAT(answer->fault, HasSubstr("cut at the output limit"));
}

TEST_F(OpenAiTest, AFailureBesideAnEmptyAnswerIsAFailure) {
  const std::string body = R"({"error": {"code": 401, "message": "No"},
      "choices": [{"finish_reason": "error", "message": {"content": ""}}]})";
  EXPECT_EQ(ErrorOf({HttpReplyText(200, body)}).code, Errc::kUsage);
}

TEST_F(OpenAiTest, WhatIsNoReplyIsCorrupt) {
  for (const std::string& body :
       {std::string("<html>"), std::string(R"({"choices": []})")}) {
    EXPECT_EQ(ErrorOf({HttpReplyText(200, body)}).code, Errc::kCorrupt) << body;
  }
  EXPECT_THAT(waits_s_, ElementsAre());
}

}  // namespace
}  // namespace coppice::agents
