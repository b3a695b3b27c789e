#include "engine/mcp/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "engine/mcp/test_operations.h"

namespace coppice::mcp {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class McpSessionTest : public ::testing::Test {
 protected:
  // The answer, whatever time it takes.
  json Ask(const std::string& message) {
    MessageOutcome outcome = session_.Take(message);
    if (outcome.work) outcome.line = outcome.work([](const auto&) {});
    return outcome.line.empty() ? json() : json::parse(outcome.line);
  }

  SetClock clock_;
  TestOperations operations_;
  Session session_{operations_.terms, clock_, "tester"};
};

TEST_F(McpSessionTest, ALegacyClientShakesHands) {
  const json answer = Ask(LegacyMessage(
      "initialize", R"("protocolVersion":"2025-06-18","capabilities":{},)"
                    R"("clientInfo":{"name":"t","version":"1"})"));
  EXPECT_EQ(answer["id"], 1);
  EXPECT_EQ(answer["result"]["protocolVersion"], "2025-06-18");
  EXPECT_EQ(answer["result"]["serverInfo"]["name"], "coppice");
  EXPECT_TRUE(answer["result"]["capabilities"].contains("tools"));
  EXPECT_FALSE(answer["result"].contains("resultType"));
  // One that nobody knows is answered with the newest that shakes hands.
  EXPECT_EQ(
      Ask(LegacyMessage(
          "initialize",
          R"("protocolVersion":"2099-01-01")"))["result"]["protocolVersion"],
      "2025-11-25");
  EXPECT_EQ(Ask(LegacyMessage("ping"))["result"], json::object());
}

TEST_F(McpSessionTest, AModernClientDiscovers) {
  const json result = Ask(ModernMessage("server/discover"))["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"], json::array({"2026-07-28"}));
  EXPECT_GT(result["ttlMs"], 0);
  EXPECT_EQ(result["cacheScope"], "private");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            "coppice");
}

TEST_F(McpSessionTest, EachEraHasItsOwnMethodsAlone) {
  EXPECT_EQ(Ask(LegacyMessage("server/discover"))["error"]["code"],
            kMethodNotFound);
  EXPECT_EQ(Ask(ModernMessage("initialize"))["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(ModernMessage("ping"))["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(LegacyMessage("tasks/list"))["error"]["code"], kMethodNotFound);
}

TEST_F(McpSessionTest, AVersionOfTheFutureIsToldWhatThereIs) {
  const json error = Ask(LegacyMessage(
      "tools/list",
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
      R"("io.modelcontextprotocol/clientCapabilities":{}})"))["error"];
  EXPECT_EQ(error["code"], kUnsupportedVersion);
  EXPECT_EQ(error["data"]["supported"], json::array({"2026-07-28"}));
  EXPECT_EQ(error["data"]["requested"], "2099-01-01");
  EXPECT_EQ(
      Ask(LegacyMessage("tools/list",
                        R"("_meta":{"io.modelcontextprotocol/protocolVersion":)"
                        R"("2026-07-28"})"))["error"]["code"],
      kInvalidParams);
}

TEST_F(McpSessionTest, AToolIsCalled) {
  const json result = Ask(ModernMessage(
      "tools/call", R"("name":"echo","arguments":{"word":"a"})"))["result"];
  EXPECT_EQ(result["structuredContent"]["word"], "a");
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(operations_.client, "tester");
}

TEST_F(McpSessionTest, WhatAToolRefusesIsForTheModel) {
  const json answer = Ask(LegacyMessage("tools/call", R"("name":"fail")"));
  EXPECT_EQ(answer["result"]["isError"], true);
  EXPECT_THAT(answer["result"]["content"][0]["text"].get<std::string>(),
              HasSubstr("did you mean y?"));
}

TEST_F(McpSessionTest, WhatIsWrongWithTheCallIsForTheClient) {
  const json unknown =
      Ask(LegacyMessage("tools/call", R"("name":"ecko")"))["error"];
  EXPECT_EQ(unknown["code"], kInvalidParams);
  EXPECT_THAT(unknown["message"].get<std::string>(),
              HasSubstr("did you mean echo?"));
  EXPECT_EQ(Ask(LegacyMessage("tools/call"))["error"]["code"], kInvalidParams);
  EXPECT_EQ(
      Ask(LegacyMessage("tools/call", R"("name":"throw")"))["error"]["code"],
      kInternalError);
  EXPECT_EQ(
      Ask(LegacyMessage("tools/list", R"("cursor":"2")"))["error"]["code"],
      kInvalidParams);
  EXPECT_EQ(Ask(LegacyMessage("resources/read",
                              R"("uri":"coppice://x")"))["error"]["code"],
            kInvalidParams);
  EXPECT_EQ(Ask(LegacyMessage("prompts/get", R"("name":"x")"))["error"]["code"],
            kInvalidParams);
}

TEST_F(McpSessionTest, ListsAndResourcesOfBothErasAreThere) {
  for (const auto& wrap : {LegacyMessage, ModernMessage}) {
    const auto ask = [&](const std::string& method,
                         const std::string& params = "") {
      return Ask(wrap(method, params, "1"))["result"];
    };
    EXPECT_EQ(ask("tools/list")["tools"].size(), kTestOperations.size());
    EXPECT_EQ(ask("resources/list")["resources"].size(), 1U);
    EXPECT_EQ(ask("resources/templates/list")["resourceTemplates"].size(), 3U);
    EXPECT_EQ(ask("prompts/list")["prompts"].size(), 3U);
    EXPECT_EQ(ask("resources/read",
                  R"("uri":"coppice://schema")")["contents"][0]["text"],
              "CREATE VIEW nodes");
    EXPECT_EQ(
        ask("prompts/get",
            R"("name":"explain","arguments":{"campaign":"a"})")["messages"]
            .size(),
        1U);
  }
}

TEST_F(McpSessionTest, WhatMayChangeIsNotKeptByAModernClient) {
  const json read = Ask(
      ModernMessage("resources/read", R"("uri":"coppice://schema")"))["result"];
  EXPECT_EQ(read["ttlMs"], 0);
  EXPECT_EQ(read["cacheScope"], "private");
}

TEST_F(McpSessionTest, NotificationsAreNotAnswered) {
  for (const char* method :
       {"notifications/initialized", "notifications/unknown", "tools/list"}) {
    const MessageOutcome outcome = session_.Take(std::string_view(
        R"({"jsonrpc":"2.0","method":")" + std::string(method) + R"("})"));
    EXPECT_TRUE(outcome.line.empty());
    EXPECT_FALSE(outcome.work);
  }
}

// A call of "wait" in a thread of its own.
class Waiting {
 public:
  Waiting(Session& session, const std::string& message)
      : outcome_(session.Take(message)), thread_([this] {
          line_ = outcome_.work([this](const std::string& line) {
            const std::lock_guard lock(mutex_);
            said_.push_back(json::parse(line));
          });
        }) {}
  std::string Line() {
    thread_.join();
    return line_;
  }
  std::vector<json> Said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  MessageOutcome outcome_;
  std::mutex mutex_;
  std::vector<json> said_;
  std::string line_;
  std::thread thread_;
};

TEST_F(McpSessionTest, ProgressGrowsAndComesEveryFiveSeconds) {
  operations_.progress = {"timing", 3, 12, "workload 2"};
  Waiting waiting(
      session_,
      LegacyMessage("tools/call",
                    R"("name":"wait","_meta":{"progressToken":"p"})"));
  operations_.AwaitWaiting(1);
  ASSERT_EQ(waiting.Said().size(), 1U);  // A new stage, told at once.
  EXPECT_EQ(waiting.Said()[0]["params"]["message"],
            "timing 3 of 12: workload 2");
  EXPECT_EQ(waiting.Said()[0]["params"]["progressToken"], "p");
  clock_.now += 4.9;
  session_.Tick();
  EXPECT_EQ(waiting.Said().size(), 1U);
  clock_.now += 0.1;
  session_.Tick();
  session_.Tick();
  ASSERT_EQ(waiting.Said().size(), 2U);
  EXPECT_GT(waiting.Said()[1]["params"]["progress"],
            waiting.Said()[0]["params"]["progress"]);
  operations_.LetGo();
  EXPECT_THAT(waiting.Line(), HasSubstr("structuredContent"));
  clock_.now += 100;
  session_.Tick();
  EXPECT_EQ(waiting.Said().size(), 2U);  // Nothing after the answer.
}

TEST_F(McpSessionTest, WhoDidNotAskForProgressGetsNone) {
  operations_.progress = {"timing"};
  Waiting waiting(session_, LegacyMessage("tools/call", R"("name":"wait")"));
  operations_.AwaitWaiting(1);
  clock_.now += 60;
  session_.Tick();
  operations_.LetGo();
  waiting.Line();
  EXPECT_TRUE(waiting.Said().empty());
}

TEST_F(McpSessionTest, WhatIsCancelledIsNotAnswered) {
  Waiting waiting(session_,
                  LegacyMessage("tools/call", R"("name":"wait")", R"("a")"));
  operations_.AwaitWaiting(1);
  const auto cancel = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
           R"("params":{"requestId":)" +
           id + "}}";
  };
  session_.Take(std::string_view(cancel("7")));  // Nobody's.
  session_.Take(std::string_view(cancel(R"("a")")));
  EXPECT_EQ(waiting.Line(), "");
  // Its id is free again.
  EXPECT_FALSE(Ask(LegacyMessage("tools/call", R"("name":"echo")", R"("a")"))
                   .contains("error"));
}

TEST_F(McpSessionTest, AnIdThatIsUnderWayIsNoOthers) {
  Waiting waiting(session_, LegacyMessage("tools/call", R"("name":"wait")"));
  operations_.AwaitWaiting(1);
  EXPECT_EQ(
      Ask(LegacyMessage("tools/call", R"("name":"echo")"))["error"]["code"],
      kInvalidRequest);
  operations_.LetGo();
  waiting.Line();
}

TEST_F(McpSessionTest, ThereAreLimitsToWhatIsUnderWay) {
  std::vector<MessageOutcome> begun;
  for (std::size_t i = 0; i < kMostInFlight; ++i) {
    begun.push_back(session_.Take(std::string_view(
        LegacyMessage("tools/call", R"("name":"echo")", std::to_string(i)))));
    EXPECT_TRUE(begun.back().work);
  }
  const std::string one_more =
      LegacyMessage("tools/call", R"("name":"echo")", R"("x")");
  EXPECT_EQ(Ask(one_more)["error"]["code"], kInternalError);
  begun.pop_back();  // Dropped, its place is free.
  EXPECT_FALSE(Ask(one_more).contains("error"));
}

// What a client called something is not repeated at length, nor with its
// controls.
TEST_F(McpSessionTest, AnEnormousNameIsToldInOneShortLine) {
  const std::string name(900'000, 'x');
  for (const json& answer :
       {Ask(LegacyMessage("tools/call", R"("name":")" + name + '"')),
        Ask(LegacyMessage(name)),
        Ask(LegacyMessage("prompts/get", R"("name":")" + name + '"')),
        Ask(LegacyMessage("tools/list", R"("cursor":")" + name + '"')),
        Ask(LegacyMessage("resources/read", R"("uri":")" + name + '"'))}) {
    const std::string message = answer["error"]["message"];
    EXPECT_LT(message.size(), 5000u);
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  const json steered =
      Ask(LegacyMessage("tools/call", R"("name":"\u001b[2Jec\u202eho")"));
  EXPECT_EQ(steered["error"]["message"], "no tool 'echo'; tools/list has all");
}

}  // namespace
}  // namespace coppice::mcp
