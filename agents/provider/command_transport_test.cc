#include "agents/provider/command_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CommandTransportTest : public testing::Test {
 protected:
  Delivery Run(const std::string& script, CommandOptions options = {},
               double timeout_s = 60) {
    options.provider = "exec";
    options.model = "script";
    options.command = {"sh", "-c", script};
    const auto transport = MakeCommandTransport(std::move(options), timer_);
    return transport->Send(request_, transport->Body(request_).text, timeout_s);
  }

  RealTimer timer_;
  ModelRequest request_;
};

TEST_F(CommandTransportTest, ThePromptsGoInAndTheAnswerComesOut) {
  request_.system_prompt = "Be quick.";
  request_.user_prompt = "Go.";
  const Delivery delivery = Run("cat; pwd | sed 's/.*coppice-exec.*/, away/'");
  ASSERT_FALSE(delivery.refusal) << delivery.refusal->error.what;
  EXPECT_EQ(delivery.answer.text, "Be quick.\n\nGo., away\n");
  EXPECT_EQ(delivery.answer.cost_usd, std::nullopt);
  // 14 bytes in, 22 out, four a token.
  EXPECT_TRUE(delivery.answer.usage.estimated);
  EXPECT_EQ(delivery.answer.usage.input_tokens, 3);
  EXPECT_EQ(delivery.answer.usage.output_tokens, 5);
}

TEST_F(CommandTransportTest, SilenceIsAnAnswerWithAFault) {
  const Delivery delivery = Run("true");
  EXPECT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.fault, "the command printed nothing");
}

TEST_F(CommandTransportTest, AFailureIsQuotedAndNotTriedAgain) {
  const Delivery delivery = Run("echo no model >&2; exit 3");
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.what, "exec: exit code 3: no model");
  EXPECT_EQ(delivery.refusal->again, Again::kNever);
  EXPECT_TRUE(delivery.refusal->may_be_billed);
}

TEST_F(CommandTransportTest, AFailureWithoutAWordIsSaidToBeOne) {
  EXPECT_EQ(Run("exit 3").refusal->error.what,
            "exec: exit code 3 and no word why");
}

// One that fails three times and has not worked yet is not worth waiting for.
TEST_F(CommandTransportTest, WhatHasNeverWorkedIsTheUsersMistake) {
  CommandOptions options;
  options.provider = "exec";
  options.command = {"sh", "-c", "echo not logged in >&2; exit 1"};
  const auto transport = MakeCommandTransport(options, timer_);
  const auto code = [&] {
    return transport->Send(request_, "", 60).refusal->error.code;
  };
  EXPECT_EQ(code(), Errc::kUnavailable);
  EXPECT_EQ(code(), Errc::kUnavailable);
  EXPECT_EQ(code(), Errc::kUsage);
  EXPECT_THAT(
      transport->Send(request_, "", 60).refusal->error.what,
      AllOf(HasSubstr("not logged in"), HasSubstr("it has never worked")));
}

TEST_F(CommandTransportTest, WhatHasWorkedIsWaitedFor) {
  CommandOptions options;
  options.provider = "exec";
  options.command = {"sh", "-c", "grep -v fail"};  // Exits with 1 of "fail".
  const auto transport = MakeCommandTransport(options, timer_);
  EXPECT_FALSE(transport->Send(request_, "work\n", 60).refusal);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(transport->Send(request_, "fail\n", 60).refusal->error.code,
              Errc::kUnavailable);
  }
}

TEST_F(CommandTransportTest, AMissingProgramIsTheUsersMistake) {
  CommandOptions options;
  options.provider = "claude";
  options.command = {"no-such-program-xyz"};
  const auto transport = MakeCommandTransport(options, timer_);
  const Delivery delivery = transport->Send(request_, "", 60);
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.code, Errc::kUsage);
  EXPECT_FALSE(delivery.refusal->may_be_billed);
}

TEST_F(CommandTransportTest, TimeIsLimited) {
  const Delivery delivery = Run("sleep 1000", {}, 0.1);
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.code, Errc::kTimeout);
}

TEST_F(CommandTransportTest, KeysThatItWasGivenAreNotShown) {
  setenv("COPPICE_TEST_SECRET", "correct-horse", 1);
  CommandOptions options;
  options.env = {"COPPICE_TEST_SECRET"};
  const Delivery delivery =
      Run("echo bad key $COPPICE_TEST_SECRET, sk-ant-0123456789 >&2; exit 1",
          options);
  unsetenv("COPPICE_TEST_SECRET");
  EXPECT_THAT(delivery.refusal->error.what,
              AllOf(HasSubstr("bad key [key], [key]"),
                    Not(HasSubstr("correct-horse"))));
}

// The last 500 bytes would begin in the middle of it.
TEST_F(CommandTransportTest, KeysAreTakenOutBeforeAComplaintIsCut) {
  setenv("COPPICE_TEST_SECRET", "correct-horse", 1);
  CommandOptions options;
  options.env = {"COPPICE_TEST_SECRET"};
  const Delivery delivery =
      Run("printf %s%0492d $COPPICE_TEST_SECRET 0 >&2; exit 1", options);
  unsetenv("COPPICE_TEST_SECRET");
  EXPECT_THAT(delivery.refusal->error.what, Not(HasSubstr("horse")));
}

TEST_F(CommandTransportTest, KeysAreTakenOutHoweverJsonSpellsThem) {
  setenv("COPPICE_TEST_SECRET", "correct-horse", 1);
  CommandOptions options;
  options.env = {"COPPICE_TEST_SECRET"};
  options.answer = ExecAnswer::kClaude;
  const std::string said =
      R"("result":"It is \u0063orrect\u002dhorse.","stop_reason":"end_turn"})";
  const Delivery answered =
      Run("cat <<'E'\n{\"type\":\"result\"," + said + "\nE", options);
  const Delivery failed =
      Run("cat <<'E'\n{\"type\":\"result\",\"is_error\":true," + said + "\nE",
          options);
  unsetenv("COPPICE_TEST_SECRET");
  EXPECT_EQ(answered.answer.text, "It is [key].");
  EXPECT_EQ(failed.answer.text, "It is [key].");
  EXPECT_EQ(failed.refusal->error.what, "exec: It is [key].");
}

TEST_F(CommandTransportTest, OutputIsToldAsItComes) {
  std::int64_t told = 0;
  request_.on_progress = [&](std::int64_t tokens) { told = tokens; };
  Run("echo 1234567");
  EXPECT_EQ(told, 2);
}

constexpr char kClaude[] =
    R"({"type":"result","subtype":"success","is_error":false,
        "result":"Hello.","stop_reason":"end_turn","total_cost_usd":0.25,
        "modelUsage":{"a":{"inputTokens":10,"outputTokens":5,
        "cacheReadInputTokens":20,"cacheCreationInputTokens":30},
        "b":{"inputTokens":1,"outputTokens":2}}})";

TEST(ExecOutputTest, ClaudePrintsOneObject) {
  const Delivery delivery = ReadCommandOutput(ExecAnswer::kClaude, kClaude);
  EXPECT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.text, "Hello.");
  EXPECT_EQ(delivery.answer.usage.input_tokens, 61);  // 10 + 20 + 30 + 1.
  EXPECT_EQ(delivery.answer.usage.cached_input_tokens, 20);
  EXPECT_EQ(delivery.answer.usage.cache_write_tokens, 30);
  EXPECT_EQ(delivery.answer.usage.output_tokens, 7);
  EXPECT_EQ(delivery.answer.cost_usd, 0.25);
}

TEST(ExecOutputTest, ClaudesErrorsAreInItsFlag) {
  const Delivery delivery =
      ReadCommandOutput(ExecAnswer::kClaude,
                        R"({"type":"result","subtype":"success","is_error":true,
          "result":"API Error: 400"})");
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.what, "API Error: 400");
}

TEST(ExecOutputTest, CodexPrintsALineAnEvent) {
  const Delivery delivery = ReadCommandOutput(
      ExecAnswer::kCodex,
      "warning: no JSON\n"
      R"({"type":"item.completed","item":{"type":"reasoning","text":"Hm"}})"
      "\n"
      R"({"type":"error","message":"Reconnecting... 1/5"})"
      "\n"
      R"({"type":"item.completed","item":{"type":"agent_message","text":"Hi"}})"
      "\n"
      R"({"type":"turn.completed","usage":{"input_tokens":10,)"
      R"("cached_input_tokens":4,"output_tokens":3,)"
      R"("reasoning_output_tokens":2}})"
      "\n");
  EXPECT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.text, "Hi");
  EXPECT_EQ(delivery.answer.usage.input_tokens, 10);
  EXPECT_EQ(delivery.answer.usage.cached_input_tokens, 4);
  EXPECT_EQ(delivery.answer.usage.reasoning_tokens, 2);
}

TEST(ExecOutputTest, PartsAreNoMoreThanTheirWhole) {
  const Usage usage =
      ReadCommandOutput(
          ExecAnswer::kCodex,
          R"({"type":"turn.completed","usage":{"input_tokens":10,)"
          R"("cached_input_tokens":40,"output_tokens":3,)"
          R"("cache_write_input_tokens":5,)"
          R"("reasoning_output_tokens":9}})")
          .answer.usage;
  EXPECT_EQ(usage.cached_input_tokens, 10);
  EXPECT_EQ(usage.cache_write_tokens, 0);
  EXPECT_EQ(usage.reasoning_tokens, 3);
}

// 2^53 is the most that is counted; a thousand of them would be beyond 2^62.
TEST(ExecOutputTest, SumsStayCounts) {
  std::string out;
  for (int turn = 0; turn < 1100; ++turn) {
    out += R"({"type":"turn.completed","usage":{"output_tokens":)"
           "9007199254740992}}\n";
  }
  EXPECT_EQ(
      ReadCommandOutput(ExecAnswer::kCodex, out).answer.usage.output_tokens,
      9'007'199'254'740'992);
}

TEST(ExecOutputTest, ATurnOfCodexMayFailOrNotEnd) {
  EXPECT_EQ(
      ReadCommandOutput(ExecAnswer::kCodex,
                        R"({"type":"turn.failed","error":{"message":"No."}})")
          .refusal->error.what,
      "No.");
  EXPECT_EQ(ReadCommandOutput(ExecAnswer::kCodex,
                              R"({"type":"item.completed","item":
                               {"type":"agent_message","text":"Hi"}})")
                .refusal->error.code,
            Errc::kUnavailable);
}

TEST(ExecOutputTest, OtherTextIsNoAnswerOfTheirs) {
  for (const char* text : {"", "Hello.", "[]", "{}", R"({"type":"x"})"}) {
    for (const ExecAnswer form : {ExecAnswer::kClaude, ExecAnswer::kCodex}) {
      EXPECT_EQ(ReadCommandOutput(form, text).refusal->error.code,
                Errc::kUnavailable)
          << text;
    }
  }
}

}  // namespace
}  // namespace coppice::agents
