#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "agents/provider/command_transport.h"
#include "agents/provider/http_transport.h"
#include "agents/provider/providers.h"
#include "agents/provider/retrying_model.h"
#include "agents/provider/scripted_server.h"
#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSecret[] = "sk-secret-0123456789";

// A question, two calls that were made together, and their results.
Conversation InTheMiddle() {
  Conversation conversation;
  conversation.system = "Be exact.";
  conversation.tools = {{"node", "A node.", R"({"type":"object"})"}};
  conversation.messages = {
      {Speaker::kUser, "Which is faster?"},
      {Speaker::kModel,
       "I look.",
       {{"c1", "node", R"({"n":1})"}, {"c2", "node", "{\"n\":"}}},
      {Speaker::kTool, "2x", {}, "c1"},
      {Speaker::kTool, "no such call", {}, "c2"}};
  return conversation;
}

// How a call of a tool is told in a test: "id name arguments".
std::vector<std::string> CallsOf(const std::vector<ToolCall>& calls) {
  std::vector<std::string> told;
  told.reserve(calls.size());
  for (const ToolCall& call : calls) {
    told.push_back(call.id + " " + call.name + " " + call.arguments);
  }
  return told;
}

HttpTransportOptions AtServer(const std::string& url, const Dialect& dialect) {
  HttpTransportOptions options;
  options.provider = "test";
  options.base_url = url;
  options.dialect = &dialect;
  options.body.model = "m";
  options.api_key = kSecret;
  Prices prices;
  prices.rates = {1e6, 0.5e6, 1e6, 2e6};
  prices.version = "2026-11-21";
  options.prices = prices;
  return options;
}

std::unique_ptr<Model> ModelOver(std::unique_ptr<Transport> transport,
                                 Timer& timer) {
  return MakeRetryingModel(std::move(transport),
                           std::make_shared<Throttle>(Limits{}, timer), timer,
                           {});
}

ModelRequest GoingOn(const Conversation& conversation) {
  ModelRequest request;
  request.conversation = &conversation;
  return request;
}

struct TalkOutcome {
  Result<ModelAnswer> answer = Fail(Errc::kIo, "not asked");
  std::vector<std::string> shown;  // The text so far, each time.
  std::vector<std::string> requests;
};

TalkOutcome GoOn(const Dialect& dialect, std::vector<std::string> replies,
                 const Conversation& conversation = InTheMiddle()) {
  FakeTimer timer;
  const ScriptedServer server(std::move(replies));
  const auto model =
      ModelOver(MakeHttpTransport(AtServer(server.Url(), dialect)), timer);
  TalkOutcome outcome;
  ModelRequest request = GoingOn(conversation);
  request.on_text = [&](std::string_view so_far) {
    outcome.shown.emplace_back(so_far);
  };
  outcome.answer = model->Complete(request);
  outcome.requests = server.Requests();
  return outcome;
}

// In two pieces, cut wherever the middle is.
std::string WithAPause(const std::string& events) {
  const std::size_t half = events.size() / 2;
  return HttpStreamText(events.substr(0, half)) + ScriptedServer::kPause +
         events.substr(half);
}

// Two calls, side by side, each in pieces; the second has arguments that are no
// JSON.
const std::vector<std::string> kChatCalls = {
    R"({"choices":[{"delta":{"content":"I look."}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1",
        "type":"function","function":{"name":"node","arguments":""}}]}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2",
        "function":{"name":"node","arguments":"{\"n\""}}]}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,
        "function":{"arguments":"{\"n\":"}}]}}]})",
    R"({"choices":[{"delta":{"tool_calls":[{"index":0,
        "function":{"arguments":"1}"}}]}}]})",
    R"({"choices":[{"delta":{},"finish_reason":"tool_calls"}]})",
    R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2}})",
    "[DONE]"};

const std::vector<std::string> kMessagesCalls = {
    R"({"type":"message_start","message":{"model":"m","usage":
        {"input_tokens":10,"output_tokens":1}}})",
    R"({"type":"content_block_start","index":0,"content_block":
        {"type":"thinking","thinking":"","signature":""}})",
    R"({"type":"content_block_delta","index":0,"delta":
        {"type":"thinking_delta","thinking":"Hm."}})",
    R"({"type":"content_block_delta","index":0,"delta":
        {"type":"signature_delta","signature":"abc"}})",
    R"({"type":"content_block_stop","index":0})",
    R"({"type":"content_block_start","index":1,"content_block":
        {"type":"text","text":""}})",
    R"({"type":"content_block_delta","index":1,"delta":
        {"type":"text_delta","text":"I look."}})",
    R"({"type":"content_block_start","index":2,"content_block":
        {"type":"tool_use","id":"c1","name":"node","input":{}}})",
    R"({"type":"content_block_delta","index":2,"delta":
        {"type":"input_json_delta","partial_json":""}})",
    R"({"type":"content_block_delta","index":2,"delta":
        {"type":"input_json_delta","partial_json":"{\"n\":"}})",
    R"({"type":"content_block_delta","index":2,"delta":
        {"type":"input_json_delta","partial_json":"1}"}})",
    R"({"type":"content_block_start","index":3,"content_block":
        {"type":"tool_use","id":"c2","name":"node","input":{}}})",
    R"({"type":"content_block_delta","index":3,"delta":
        {"type":"input_json_delta","partial_json":"{\"n\""}})",
    R"({"type":"message_delta","delta":{"stop_reason":"tool_use"},
        "usage":{"output_tokens":2}})",
    R"({"type":"message_stop"})"};

const std::vector<std::string> kResponsesCalls = {
    R"({"type":"response.output_text.delta","delta":"I look."})",
    R"({"type":"response.output_item.added","output_index":1,"item":
        {"type":"function_call","id":"i1","call_id":"c1","name":"node",
         "arguments":""}})",
    R"({"type":"response.function_call_arguments.delta","output_index":1,
        "delta":"{\"n\":"})",
    R"({"type":"response.output_item.added","output_index":2,"item":
        {"type":"function_call","id":"i2","call_id":"c2","name":"node",
         "arguments":""}})",
    R"({"type":"response.function_call_arguments.delta","output_index":2,
        "delta":"{\"n\""})",
    R"({"type":"response.function_call_arguments.delta","output_index":1,
        "delta":"1}"})",
    R"({"type":"response.output_item.done","output_index":1,"item":
        {"type":"function_call","id":"i1","call_id":"c1","name":"node",
         "arguments":"{\"n\":1}"}})",
    R"({"type":"response.output_item.done","output_index":0,"item":
        {"type":"reasoning","id":"r","encrypted_content":"xyz"}})",
    R"({"type":"response.completed","response":{"status":"completed",
        "usage":{"input_tokens":10,"output_tokens":2}}})"};

struct TalkCase {
  std::string name;
  const Dialect* dialect;
  std::vector<std::string> calls;    // A stream that calls tools.
  std::vector<std::string> cut;      // One that ends at the output limit.
  std::vector<std::string> refused;  // One in which the model refuses.
  std::vector<std::string> broken;   // An error in the middle.
};

const std::vector<TalkCase>& TalkCases() {
  static const std::vector<TalkCase> cases = {
      {"chat",
       &ChatDialect(),
       kChatCalls,
       {R"({"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1",
            "function":{"name":"node","arguments":"{\"n"}}]}}]})",
        R"({"choices":[{"delta":{},"finish_reason":"length"}]})"},
       {R"({"choices":[{"delta":{"refusal":"No."}}]})",
        R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"},
       {R"({"choices":[{"delta":{"content":"Half"}}]})",
        R"({"error":{"message":"Overloaded","code":503}})"}},
      {"messages",
       &MessagesDialect(),
       kMessagesCalls,
       {R"({"type":"content_block_start","index":0,"content_block":
            {"type":"tool_use","id":"c1","name":"node","input":{}}})",
        R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},
            "usage":{"output_tokens":2}})"},
       {R"({"type":"message_delta","delta":{"stop_reason":"refusal"},
            "usage":{"output_tokens":2}})"},
       {R"({"type":"content_block_delta","index":0,"delta":
            {"type":"text_delta","text":"Half"}})",
        R"({"type":"error","error":{"type":"overloaded_error",
            "message":"Overloaded"}})"}},
      {"responses",
       &ResponsesDialect(),
       kResponsesCalls,
       {R"({"type":"response.output_item.added","output_index":0,"item":
            {"type":"function_call","call_id":"c1","name":"node"}})",
        R"({"type":"response.incomplete","response":{"status":"incomplete",
            "incomplete_details":{"reason":"max_output_tokens"}}})"},
       {R"({"type":"response.refusal.delta","delta":"No."})",
        R"({"type":"response.completed","response":
            {"status":"completed"}})"},
       {R"({"type":"response.output_text.delta","delta":"Half"})",
        R"({"type":"error","message":"Overloaded",
            "code":"server_is_overloaded"})"}}};
  return cases;
}

// One line: the stream's data may not hold line ends.
std::string TalkEvents(std::vector<std::string> data) {
  for (std::string& event : data) std::erase(event, '\n');
  return DataEvents(data);
}

class EachDialectTest : public testing::TestWithParam<TalkCase> {};

TEST_P(EachDialectTest, CallsInPiecesSideBySideBecomeWhole) {
  const TalkOutcome outcome =
      GoOn(*GetParam().dialect, {WithAPause(TalkEvents(GetParam().calls))});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  const ModelAnswer& said = *outcome.answer;
  EXPECT_EQ(said.fault, "");
  EXPECT_EQ(said.text, "I look.");
  // The arguments of the second are no JSON; whoever runs tools says so.
  EXPECT_THAT(CallsOf(said.calls),
              ElementsAre("c1 node {\"n\":1}", "c2 node {\"n\""));
  EXPECT_EQ(said.usage.input_tokens, 10);
  EXPECT_EQ(said.usage.output_tokens, 2);
  EXPECT_DOUBLE_EQ(said.cost_usd.value(), 14.0);  // 10 * 1 + 2 * 2.
  EXPECT_EQ(outcome.shown.front(), "I look.");
}

TEST_P(EachDialectTest, CallsThatAreCutAreNotMade) {
  const TalkOutcome outcome =
      GoOn(*GetParam().dialect, {HttpStreamText(TalkEvents(GetParam().cut))});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  EXPECT_THAT(outcome.answer->fault, HasSubstr("cut at the output limit"));
  EXPECT_TRUE(outcome.answer->calls.empty());
}

TEST_P(EachDialectTest, ARefusalIsAnAnswerWithAFault) {
  const TalkOutcome outcome = GoOn(
      *GetParam().dialect, {HttpStreamText(TalkEvents(GetParam().refused))});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  EXPECT_THAT(outcome.answer->fault, HasSubstr("refused"));
}

TEST_P(EachDialectTest, AfterAnErrorInTheMiddleItIsAskedAgain) {
  const TalkOutcome outcome =
      GoOn(*GetParam().dialect, {HttpStreamText(TalkEvents(GetParam().broken)),
                                 HttpStreamText(TalkEvents(GetParam().calls))});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  EXPECT_EQ(outcome.answer->text, "I look.");
  EXPECT_EQ(outcome.requests.size(), 2u);
  EXPECT_EQ(outcome.shown.front(), "Half");  // Then it starts anew.
  EXPECT_EQ(outcome.shown.back(), "I look.");
}

TEST_P(EachDialectTest, AConnectionThatIsTornIsTriedAgain) {
  const TalkOutcome outcome =
      GoOn(*GetParam().dialect,
           {std::string("HTTP/1.1 200 OK\r\nContent-Type: "
                        "text/event-stream\r\n\r\n") +
                TalkEvents({GetParam().calls.front()}) + ScriptedServer::kReset,
            HttpStreamText(TalkEvents(GetParam().calls))});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  EXPECT_EQ(outcome.requests.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(OfTalk, EachDialectTest,
                         testing::ValuesIn(TalkCases()),
                         [](const auto& it) { return it.param.name; });

std::string TalkBody(const Dialect& dialect) {
  ModelRequest request;
  const Conversation conversation = InTheMiddle();
  request.conversation = &conversation;
  request.sampling.max_output_tokens = 100;
  BodyOptions options;
  options.model = "m";
  options.stream = false;
  options.structured = true;  // Holds for prompts alone.
  return dialect.Body(request, options).text;
}

// The arguments that were no JSON go back as an empty object.
TEST(ConversationsTest, ChatBodiesNameEachCallWithItsResult) {
  EXPECT_EQ(
      TalkBody(ChatDialect()),
      R"({"max_tokens":100,"messages":[)"
      R"({"content":"Be exact.","role":"system"},)"
      R"({"content":"Which is faster?","role":"user"},)"
      R"({"content":"I look.","role":"assistant","tool_calls":[)"
      R"({"function":{"arguments":"{\"n\":1}","name":"node"},"id":"c1",)"
      R"("type":"function"},)"
      R"({"function":{"arguments":"{}","name":"node"},"id":"c2",)"
      R"("type":"function"}]},)"
      R"({"content":"2x","role":"tool","tool_call_id":"c1"},)"
      R"({"content":"no such call","role":"tool","tool_call_id":"c2"}],)"
      R"("model":"m","tools":[{"function":{"description":"A node.",)"
      R"("name":"node","parameters":{"type":"object"}},"type":"function"}]})");
}

TEST(ConversationsTest, MessagesPutResultsTogether) {
  EXPECT_THAT(
      TalkBody(MessagesDialect()),
      AllOf(
          HasSubstr(
              R"({"content":[{"text":"I look.","type":"text"},)"
              R"({"id":"c1","input":{"n":1},"name":"node","type":"tool_use"},)"
              R"({"id":"c2","input":{},"name":"node","type":"tool_use"}],)"
              R"("role":"assistant"})"),
          HasSubstr(R"({"content":[{"content":"2x","tool_use_id":"c1",)"
                    R"("type":"tool_result"},)"
                    R"({"cache_control":{"type":"ephemeral"},)"
                    R"("content":"no such call","tool_use_id":"c2",)"
                    R"("type":"tool_result"}],"role":"user"}])"),
          HasSubstr(R"("tools":[{"description":"A node.",)"
                    R"("input_schema":{"type":"object"},"name":"node"}])"),
          Not(HasSubstr("output_config"))));
}

TEST(ConversationsTest, ResponsesGiveItemsAndStoreNothing) {
  EXPECT_THAT(TalkBody(ResponsesDialect()),
              AllOf(HasSubstr(R"({"arguments":"{\"n\":1}","call_id":"c1",)"
                              R"("name":"node","type":"function_call"})"),
                    HasSubstr(R"({"call_id":"c1","output":"2x",)"
                              R"("type":"function_call_output"})"),
                    HasSubstr(R"("instructions":"Be exact.")"),
                    HasSubstr(R"("store":false)"), Not(HasSubstr("include"))));
}

TEST(ConversationsTest, WhatAModelThoughtGoesBackAsItCame) {
  const std::pair<const TalkCase*, std::string> kKept[] = {
      {&TalkCases()[1],
       R"({"content":[{"signature":"abc","thinking":"Hm.","type":"thinking"},)"
       R"({"text":"I look.","type":"text"})"},
      {&TalkCases()[2],
       R"({"encrypted_content":"xyz","id":"r","type":"reasoning"},)"
       R"({"content":"I look.","role":"assistant"})"}};
  for (const auto& [the_case, expected] : kKept) {
    const TalkOutcome outcome =
        GoOn(*the_case->dialect, {HttpStreamText(TalkEvents(the_case->calls))});
    ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
    Conversation longer = InTheMiddle();
    const ModelAnswer& said = *outcome.answer;
    longer.messages[1] = {Speaker::kModel, said.text, said.calls, "",
                          said.kept};
    ModelRequest request;
    request.conversation = &longer;
    BodyOptions options;
    options.model = "m";
    EXPECT_THAT(the_case->dialect->Body(request, options).text,
                HasSubstr(expected));
  }
}

TEST(ConversationsTest, RepliesThatComeAtOnceCallToolsToo) {
  const std::pair<const Dialect*, std::string> kReplies[] = {
      {&ChatDialect(),
       R"({"choices":[{"finish_reason":"stop","message":{"content":null,
           "tool_calls":[{"id":"c1","function":{"name":"node",
           "arguments":"{}"}},{"function":{"name":"spend",
           "arguments":{"a":1}}}]}}]})"},
      {&MessagesDialect(),
       R"({"stop_reason":"tool_use","content":[{"type":"tool_use","id":"c1",
           "name":"node","input":{}},{"type":"tool_use","id":"call_1",
           "name":"spend","input":{"a":1}}]})"},
      {&ResponsesDialect(),
       R"({"status":"completed","output":[{"type":"function_call",
           "call_id":"c1","name":"node","arguments":"{}"},
           {"type":"function_call","call_id":"call_1","name":"spend",
            "arguments":"{\"a\":1}"}]})"}};
  for (const auto& [dialect, reply] : kReplies) {
    const TalkOutcome outcome = GoOn(*dialect, {HttpReplyText(200, reply)});
    ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
    const auto& calls = outcome.answer->calls;
    ASSERT_EQ(calls.size(), 2u) << dialect->Path();
    EXPECT_EQ(calls[0].id + " " + calls[0].name, "c1 node");
    EXPECT_EQ(CallsOf(calls)[1], "call_1 spend {\"a\":1}");
  }
}

TEST(ConversationsTest, AKeyInPiecesIsShownInNone) {
  const std::string first = DataEvents(
      {R"({"choices":[{"delta":{"content":"It is sk-secret-01"}}]})"});
  const std::string rest =
      DataEvents({R"({"choices":[{"delta":{"content":"23456789, I think."}}]})",
                  R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"});
  const TalkOutcome outcome = GoOn(
      ChatDialect(), {HttpStreamText(first) + ScriptedServer::kPause + rest});
  ASSERT_TRUE(outcome.answer) << outcome.answer.error().what;
  EXPECT_THAT(outcome.shown, ElementsAre("It is ", "It is [key], I think."));
}

TEST(ConversationsTest, ACommandCallsToolsByLinesOfJson) {
  RealTimer timer;
  CommandOptions options;
  options.provider = "exec";
  options.model = "script";
  options.command = {"sh", "-c",
                     R"(grep -q '"result":"2x"' && echo '{"tool": "spend"}')"};
  const auto model = ModelOver(MakeCommandTransport(options, timer), timer);
  const Conversation conversation = InTheMiddle();
  const auto said = model->Complete(GoingOn(conversation));
  ASSERT_TRUE(said) << said.error().what;
  EXPECT_THAT(CallsOf(said->calls), ElementsAre("call_0 spend {}"));
  EXPECT_EQ(said->text, "");
}

TEST(ConversationsTest, ACassetteAnswersTheSameConversationAndNoOther) {
  const auto path =
      std::filesystem::path(testing::TempDir()) / "conversations.jsonl";
  std::filesystem::remove(path);
  const Conversation conversation = InTheMiddle();
  {
    FakeTimer timer;
    const ScriptedServer server({HttpStreamText(TalkEvents(kMessagesCalls))});
    auto model = ModelOver(
        MakeHttpTransport(AtServer(server.Url(), MessagesDialect())), timer);
    const auto recorder = MakeRecordingModel(std::move(model), path).value();
    ASSERT_TRUE(recorder->Complete(GoingOn(conversation)));
  }
  const auto replayed = MakeReplayModel(path).value();
  const auto said = replayed->Complete(GoingOn(conversation));
  ASSERT_TRUE(said) << said.error().what;
  EXPECT_THAT(CallsOf(said->calls),
              ElementsAre("c1 node {\"n\":1}", "c2 node {\"n\""));
  EXPECT_THAT(said->kept, HasSubstr("\"signature\":\"abc\""));
  EXPECT_EQ(said->text, "I look.");
  EXPECT_EQ(said->cost_usd, 0.0);
  // A number in a conversation is no measurement.
  Conversation other = InTheMiddle();
  other.messages[2].text = "3x";
  EXPECT_EQ(replayed->Complete(GoingOn(other)).error().code, Errc::kNotFound);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace coppice::agents
