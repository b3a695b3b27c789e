#include "store/write/session_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SessionCallsTest : public testing::Test {
 protected:
  CallId BeginRun() {
    return Must(
        Calls(database_).Begin({attempt_, epoch_}, IntentOf(Role::kCode), {}));
  }
  // As who takes an attempt over does.
  void TakeOver() {
    epoch_ =
        Must(Attempts(database_).Adopt(attempt_, "other", 1e12, 2e12)).epoch;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  AttemptId attempt_ =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  std::int64_t epoch_ = 0;
  SessionCalls calls_{database_};
};

TEST_F(SessionCallsTest, ARowIsThereBeforeAndAfter) {
  const CallId run = BeginRun();
  const SessionCall first = Must(calls_.Begin(run, "a", "{}", 1001));
  const std::string rows =
      "SELECT role, number, tool, state, starts, ended_at_s FROM session_calls";
  EXPECT_THAT(Rows(database_, rows), ElementsAre("code|1|a|begun|1|-"));
  Must(calls_.End(first.id, SessionCallState::kAnswered, R"({"x":1})", 1002));
  Must(calls_.Begin(run, "b", R"({"y":2})", 1003));
  EXPECT_THAT(Rows(database_, rows),
              ElementsAre("code|1|a|answered|1|1002", "code|2|b|begun|1|-"));
  const auto read = Must(calls_.Read(run));
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].answer, R"({"x":1})");
  EXPECT_EQ(read[1].arguments, R"({"y":2})");
}

TEST_F(SessionCallsTest, WhatHasEndedNeitherEndsNorBeginsAgain) {
  const CallId run = BeginRun();
  const SessionCall call = Must(calls_.Begin(run, "a", "{}", 1001));
  Must(calls_.BeginAgain(call.id, run));
  Must(calls_.End(call.id, SessionCallState::kRefused, "why", 1002));
  EXPECT_FALSE(calls_.End(call.id, SessionCallState::kAnswered, "x", 1003));
  EXPECT_FALSE(calls_.BeginAgain(call.id, run));
  EXPECT_THAT(Rows(database_, "SELECT state, starts FROM session_calls"),
              ElementsAre("refused|2"));
}

TEST_F(SessionCallsTest, ASessionGoesOnInAnotherRun) {
  const CallId first = BeginRun();
  EXPECT_THAT(Must(calls_.ReadRuns(first)), IsEmpty());
  Must(calls_.Begin(first, "a", "{}", 1001));
  WireIntent intent;
  intent.sent_at_s = 1000;
  Must(WireCalls(database_).Begin(first, intent, {}));
  TakeOver();
  // Who has lost it writes nothing more.
  EXPECT_EQ(calls_.Begin(first, "b", "{}", 1002).error().code, Errc::kLost);
  const CallId second = BeginRun();
  EXPECT_EQ(Must(calls_.Read(second)).size(), 1u);
  EXPECT_EQ(Must(calls_.Begin(second, "b", "{}", 1003)).number, 2);
  const auto runs = Must(calls_.ReadRuns(second));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_TRUE(runs[0].wire);
  EXPECT_TRUE(runs[0].is_unknown);
}

// Roles count their calls apart, and attempts theirs.
TEST_F(SessionCallsTest, NumbersAreOfARoleOfAnAttempt) {
  const CallId code = BeginRun();
  Must(calls_.Begin(code, "a", "{}", 1001));
  const CallId plan = Must(
      Calls(database_).Begin({attempt_, epoch_}, IntentOf(Role::kPlan), {}));
  EXPECT_EQ(Must(calls_.Begin(plan, "b", "{}", 1001)).number, 1);
  EXPECT_EQ(Must(calls_.Begin(code, "c", "{}", 1001)).number, 2);
  attempt_ =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(1, kRootNode)));
  const CallId other = BeginRun();
  EXPECT_EQ(Must(calls_.Begin(other, "d", "{}", 1001)).number, 1);
  EXPECT_EQ(Must(calls_.Read(code)).size(), 2u);
  EXPECT_EQ(Must(calls_.Read(plan)).size(), 1u);
  EXPECT_EQ(Must(calls_.Read(other)).size(), 1u);
  EXPECT_EQ(calls_.Begin(CallId{99}, "a", "{}", 1001).error().code,
            Errc::kNotFound);
  EXPECT_EQ(calls_.End(SessionCallId{99}, SessionCallState::kAnswered, "", 1001)
                .error()
                .code,
            Errc::kNotFound);
}

// Its one tool took from 1001 to 1007 s, in a run that was sent at 1000 s.
TEST_F(SessionCallsTest, ARunTellsItsTimeAndItsCost) {
  const CallId first = BeginRun();
  WireIntent intent;
  intent.request = "{}";
  const WireCallId wire = Must(WireCalls(database_).Begin(first, intent, {}));
  const SessionCall call = Must(calls_.Begin(first, "a", "{}", 1001));
  Must(calls_.End(call.id, SessionCallState::kAnswered, "x", 1007));
  EndedWireCall ended{.call = wire, .end = {}};
  ended.end.outcome = CallOutcome::kFailed;
  ended.end.cost_usd = 0.25;
  Must(WireCalls(database_).End(ended));
  const CallId second = BeginRun();
  const CallId third = BeginRun();
  const auto runs = Must(calls_.ReadRuns(third));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].used_s, 7.0);
  EXPECT_EQ(runs[0].wire, wire);
  EXPECT_FALSE(runs[0].is_unknown);
  EXPECT_EQ(runs[0].cost_usd, 0.25);
  EXPECT_EQ(runs[1].used_s, 0.0);
  EXPECT_FALSE(runs[1].wire);
  EXPECT_EQ(Must(calls_.ReadRuns(second)).size(), 1u);
  const auto read = Must(calls_.Read(third));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].state, SessionCallState::kAnswered);
  EXPECT_EQ(read[0].starts, 1);
  EXPECT_EQ(read[0].tool, "a");
}

}  // namespace
}  // namespace coppice::store
