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

}  // namespace
}  // namespace coppice::store
