#include "store/write/epoch_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/connection.h"
#include "store/records/model_call.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Attempt 1 of "worker", whose call 1 to the planner is on the wire, in a
// campaign after another that has an attempt in flight, too.
class EpochCheckTest : public ::testing::Test {
 protected:
  EpochCheckTest() {
    PlantBeside(database_);
    campaign_ = Plant(database_, "a");
    attempt_ = Must(
        Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
    call_ = Must(calls_.Begin(attempt_, IntentOf(Role::kPlan), {}));
  }
  void LoseIt() {
    Must(connection_.Write([&]() -> Result<void> {
      TakeAway(connection_, attempt_, 1500.0);
      return {};
    }));
  }
  template <class T>
  static Errc Why(const Result<T>& found) {
    EXPECT_FALSE(found);
    return found ? Errc::kUsage : found.error().code;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
  Calls calls_{database_};
  CampaignId campaign_{};
  AttemptId attempt_{};
  CallId call_{};
};

TEST_F(EpochCheckTest, WhoHoldsAnAttemptLearnsWhoseItIsAndHowFarItCame) {
  const HeldAttempt held = Must(FindHeld(connection_, attempt_));
  EXPECT_EQ(held.campaign, campaign_);
  EXPECT_EQ(held.stage, Stage::kReserved);
  Must(calls_.EndWithPlan(call_, AnswerOf("plan"), Plan{}));
  EXPECT_EQ(Must(FindHeld(connection_, attempt_)).stage, Stage::kPlanned);
  EXPECT_EQ(Why(FindHeld(connection_, AttemptId{99})), Errc::kNotFound);
}

TEST_F(EpochCheckTest, AnOpenCallIsOfItsAttempt) {
  const OpenModelCall open = Must(FindOpen(connection_, call_));
  EXPECT_EQ(open.attempt, attempt_);
  EXPECT_EQ(open.campaign, campaign_);
  EXPECT_EQ(open.parent, kRootNode);
  EXPECT_EQ(open.role, Role::kPlan);
  EXPECT_EQ(open.stage, Stage::kReserved);
  EXPECT_EQ(Why(FindOpen(connection_, CallId{99})), Errc::kNotFound);
  Must(calls_.End(call_, AnswerOf("no plan")));
  const auto ended = FindOpen(connection_, call_);
  EXPECT_EQ(Why(ended), Errc::kUsage);
  EXPECT_THAT(ended.error().what, HasSubstr("has ended already"));
}

// Whoever takes it over holds it in the next epoch; its calls are of the one
// before.
TEST_F(EpochCheckTest, WhatIsTakenAwayIsLostToWhoHeldIt) {
  LoseIt();
  const auto lost = FindHeld(connection_, attempt_);
  EXPECT_EQ(Why(lost), Errc::kLost);
  EXPECT_THAT(lost.error().what,
              HasSubstr("was taken over by another process"));
  EXPECT_EQ(Why(FindOpen(connection_, call_)), Errc::kLost);
  EXPECT_TRUE(FindHeld(connection_, {attempt_, 1}));
  EXPECT_EQ(Why(FindHeld(connection_, {attempt_, 2})), Errc::kLost);
}

// What had ended before stays as it was, and so does what is another's.
TEST_F(EpochCheckTest, OnlyWhatWasOnItsWayIsOfUnknownOutcome) {
  Must(calls_.End(call_, AnswerOf("no plan")));
  Must(calls_.Begin(attempt_, IntentOf(Role::kPlan), {}));
  LoseIt();
  EXPECT_THAT(Rows(database_,
                   "SELECT outcome, ended_at_s, error FROM model_call"
                   " WHERE attempt_id = " +
                       std::to_string(Index(attempt_)) + " ORDER BY call_id"),
              ElementsAre("1|1002|",
                          "3|1500|its attempt was taken over before it ended"));
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM attempt WHERE epoch > 0"),
              ElementsAre("1"));
}

}  // namespace
}  // namespace coppice::store
