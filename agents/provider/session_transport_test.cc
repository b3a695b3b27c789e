#include "agents/provider/session_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "agents/provider/test_timer.h"

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A session whose tools nobody serves: a test says what they came to.
class GivenSession final : public AgentSession {
 public:
  const SessionStart& start() const override { return given; }
  bool HasHandedIn() const override { return has_handed_in; }
  bool HasCalled() const override { return has_called; }
  bool IsSpent() const override { return is_spent; }
  SessionProduct Close() override { return product; }

  SessionStart given;
  bool has_handed_in = false;
  bool has_called = false;
  bool is_spent = false;
  SessionProduct product;
};

class SessionTransportTest : public testing::Test {
 protected:
  SessionTransportTest() {
    std::string name = testing::TempDir() + "coppice-session-XXXXXX";
    home_ = mkdtemp(name.data());
    fs::create_directories(home_ / "work");
    session_.given.home = home_;
    session_.given.folder = home_ / "work";
    session_.given.output = home_ / "output";
    session_.given.calls_left = 7;
    session_.given.usd_left = 1.5;
    session_.given.seconds_left = 60;
    request_.user_prompt = "Go.";
    request_.session = &session_;
  }
  ~SessionTransportTest() override { fs::remove_all(home_); }

  std::unique_ptr<Transport> Running(const std::string& script,
                                     SessionOptions session = {}) {
    CommandOptions command;
    command.provider = "session";
    command.model = "script";
    command.command = {"sh", "-c", script};
    return MakeSessionTransport(std::move(command), std::move(session), timer_);
  }

  Delivery Run(const std::string& script, SessionOptions session = {}) {
    return Send(*Running(script, std::move(session)));
  }

  Delivery Send(Transport& transport) {
    return transport.Send(request_, transport.Body(request_).text, 60);
  }

  fs::path home_;
  RealTimer timer_;
  GivenSession session_;
  ModelRequest request_;
};

TEST_F(SessionTransportTest, ItsAnswerIsWhatItHandedInAndNotWhatItSays) {
  session_.product = {"the kernel", true};
  const Delivery delivery =
      Run(R"(echo '{"session_id": "s", "total_cost_usd": 0.25,)"
          R"( "usage": {"input_tokens": 10, "output_tokens": 2}}')");
  ASSERT_FALSE(delivery.refusal) << delivery.refusal->error.what;
  EXPECT_EQ(delivery.answer.text, "the kernel");
  EXPECT_EQ(delivery.answer.fault, "");
  EXPECT_EQ(delivery.answer.usage.input_tokens, 10);
  EXPECT_EQ(delivery.answer.usage.output_tokens, 2);
  EXPECT_EQ(delivery.answer.cost_usd, 0.25);
  EXPECT_EQ(delivery.answer.price_version, "provider");
}

TEST_F(SessionTransportTest, ThePromptIsItsInputAndItWorksInItsFolder) {
  session_.has_called = true;
  Run("cat >prompt; pwd >>prompt");
  const fs::path prompt = home_ / "work/prompt";
  ASSERT_TRUE(fs::exists(prompt));
  EXPECT_GT(fs::file_size(prompt), std::string("Go.").size());
}

TEST_F(SessionTransportTest, RulesSayWhatIsLeft) {
  EXPECT_THAT(Running("true")->Body(request_).text,
              AllOf(HasSubstr("Go.\n\n# Your session"),
                    HasSubstr("7 calls of tools, $1.5000 and 60 s"),
                    Not(HasSubstr("A run before"))));
  session_.given.runs_before = 1;
  EXPECT_THAT(Running("true")->Body(request_).text,
              HasSubstr("A run before this one was cut off."));
  request_.session = nullptr;
  EXPECT_EQ(Running("true")->Body(request_).text, "Go.");
}

// Its tokens are held by nothing.
TEST_F(SessionTransportTest, ItsMoneyIsTheBound) {
  const auto transport = Running("true");
  EXPECT_EQ(transport->BoundOf(request_, transport->Body(request_)).cost_usd,
            1.5);
}

TEST_F(SessionTransportTest, WithoutASessionItIsNotStarted) {
  request_.session = nullptr;
  const Delivery delivery = Run("true");
  EXPECT_EQ(delivery.refusal->error.code, Errc::kUsage);
  EXPECT_EQ(delivery.refusal->error.what,
            "session: works in attempts of campaigns only");
  EXPECT_FALSE(delivery.refusal->may_be_billed);
}

// It was cut off before that was stored.
TEST_F(SessionTransportTest, WhatWasHandedInBeforeIsNotAskedForAgain) {
  session_.has_handed_in = true;
  session_.product = {"the kernel", true};
  const Delivery delivery = Run("touch started; exit 1");
  EXPECT_EQ(delivery.answer.text, "the kernel");
  EXPECT_EQ(delivery.answer.cost_usd, 0.0);
  EXPECT_FALSE(fs::exists(home_ / "work/started"));
}

TEST_F(SessionTransportTest, WhatIsUsedUpIsNotStarted) {
  session_.given.usd_left = 0;
  EXPECT_THAT(Run("touch started").answer.fault,
              HasSubstr("the session was ended (money): all was used"));
  session_.given.usd_left = 1;
  session_.given.seconds_left = 0;
  EXPECT_THAT(Run("touch started").answer.fault,
              HasSubstr("the session was ended (seconds): all was used"));
  EXPECT_FALSE(fs::exists(home_ / "work/started"));
}

TEST_F(SessionTransportTest, AMissingProgramIsTheUsersMistake) {
  CommandOptions command;
  command.provider = "session";
  command.command = {"no-such-program-xyz"};
  const auto transport = MakeSessionTransport(command, {}, timer_);
  const Error error = Send(*transport).refusal->error;
  // In the jail it is bubblewrap that finds none, and ends with an exit code.
  EXPECT_THAT(error.what, HasSubstr("no-such-program-xyz"));
}

TEST_F(SessionTransportTest, OneThatFailsAtOnceSaysWhy) {
  const auto transport = Running("echo not logged in >&2; exit 3");
  EXPECT_EQ(Send(*transport).refusal->error.what,
            "session: exit code 3: not logged in");
  EXPECT_EQ(Send(*transport).refusal->error.code, Errc::kUnavailable);
  EXPECT_EQ(Send(*transport).refusal->error.code, Errc::kUsage);
}

TEST_F(SessionTransportTest, AfterACallAnEndWithoutAnAnswerIsAFault) {
  session_.has_called = true;
  const Delivery delivery = Run("exit 3");
  EXPECT_FALSE(delivery.refusal);
  EXPECT_EQ(delivery.answer.fault, "the session ended without handing in");
}

TEST_F(SessionTransportTest, OneThatWasKilledGoesOnInAnotherRun) {
  const Delivery delivery = Run("kill -9 $$");
  ASSERT_TRUE(delivery.refusal);
  EXPECT_EQ(delivery.refusal->error.what,
            "session: was killed by signal 9; it goes on in another run");
  EXPECT_TRUE(delivery.refusal->may_be_billed);
}

TEST_F(SessionTransportTest, TimeEndsIt) {
  session_.given.seconds_left = 0.1;
  EXPECT_EQ(Run("sleep 1000").answer.fault,
            "the session was ended (seconds): its time is up, and nothing was "
            "handed in");
}

TEST_F(SessionTransportTest, CallsEndIt) {
  session_.is_spent = true;
  EXPECT_THAT(Run("sleep 1000").answer.fault, HasSubstr("ended (calls)"));
}

TEST_F(SessionTransportTest, MoneyEndsItAndCounts) {
  const Delivery delivery =
      Run(R"(echo '{"total_cost_usd": 2}'; exec sleep 1000)");
  EXPECT_EQ(delivery.answer.fault,
            "the session was ended (money): it has used more than $1.5000, "
            "and nothing was handed in");
  EXPECT_EQ(delivery.answer.cost_usd, 2.0);
}

TEST_F(SessionTransportTest, ItIsEndedAWhileAfterItHasHandedIn) {
  const auto transport = Running("touch started; sleep 1000", {.grace_s = 0.0});
  // It hands in as it is looked at for the first time.
  request_.on_progress = [&](std::int64_t) {
    session_.has_handed_in = true;
    session_.product = {"the kernel", true};
  };
  EXPECT_EQ(Send(*transport).answer.text, "the kernel");
}

TEST_F(SessionTransportTest, WhoeverStopsItIsObeyed) {
  const std::atomic<bool> cancel{true};
  request_.cancel = &cancel;
  EXPECT_EQ(Run("sleep 1000").refusal->error.code, Errc::kCancelled);
}

TEST_F(SessionTransportTest, WordsStandForWhatTheSessionSays) {
  session_.given.arguments = {"a b", "c"};
  session_.given.program = "/bin/server";
  EXPECT_EQ(
      Run("echo '{program} {arguments} {usd}' >&2; exit 1").refusal->error.what,
      "session: exit code 1: /bin/server [\"a b\",\"c\"] 1.5000");
}

TEST_F(SessionTransportTest, ASessionThatTheAgentKnowsIsGoneOnWith) {
  const SessionOptions known = {
      .resume = {"sh", "-c", "echo on with {session} >&2; exit 1"}};
  const std::string anew = "echo anew >&2; exit 1";
  EXPECT_THAT(Run(anew, known).refusal->error.what, HasSubstr(": anew"));
  session_.given.own_id = "s-1";
  EXPECT_THAT(Run(anew, known).refusal->error.what, HasSubstr(": on with s-1"));
  EXPECT_THAT(Run(anew).refusal->error.what, HasSubstr(": anew"));
}

TEST_F(SessionTransportTest, ItSeesNoFileThatIsHiddenFromIt) {
  if (WhyNoJail()) GTEST_SKIP() << *WhyNoJail();
  const fs::path hidden = home_ / "secret";
  std::vector<std::string> words = InJail(session_.given, {"agent"}, {});
  EXPECT_EQ(words.front(), "/usr/bin/bwrap");
  EXPECT_EQ(words.back(), "agent");
  EXPECT_THAT(words, Not(testing::Contains(hidden.string())));
  session_.given.hidden = {hidden};
  EXPECT_EQ(InJail(session_.given, {"agent"}, {}), words);  // There is none.
  fs::create_directories(hidden);
  EXPECT_THAT(
      InJail(session_.given, {"agent"}, {}),
      testing::IsSupersetOf({std::string("/dev/null"), hidden.string()}));
  EXPECT_THAT(InJail(session_.given, {"agent"}, {"/var/agent"}),
              testing::Contains("/var/agent"));
}

}  // namespace
}  // namespace coppice::agents
