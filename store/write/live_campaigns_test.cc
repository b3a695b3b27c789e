#include "store/write/live_campaigns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/window.h"
#include "store/scratch.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::IsEmpty;

class LiveCampaignsTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

TEST_F(LiveCampaignsTest, WhatHappenedComesNewestFirst) {
  Grow(database_, campaign_, kRootNode);
  const auto all = Must(ReadHappenings(database_, campaign_, 10));
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0].kind, "committed");
  EXPECT_EQ(all[0].subject, 1);
  EXPECT_EQ(all[0].verdict, Verdict::kPassed);
  EXPECT_EQ(all[0].speedup->ratio, 4.0);
  EXPECT_FALSE(all.back().verdict.has_value());
  EXPECT_EQ(all.back().kind, "created");
  EXPECT_EQ(Must(ReadHappenings(database_, campaign_, 1)).size(), 1u);
}

TEST_F(LiveCampaignsTest, AnAttemptIsInFlightUntilItHasItsNode) {
  EXPECT_THAT(Must(ReadInFlight(database_, campaign_)), IsEmpty());
  Attempts attempts(database_);
  Reservation reservation = ReservationOf(0, kRootNode);
  reservation.reserved_at_s = 1000.0;
  const AttemptId attempt = Must(attempts.Reserve(campaign_, reservation));
  auto flying = Must(ReadInFlight(database_, campaign_));
  ASSERT_EQ(flying.size(), 1u);
  EXPECT_EQ(flying[0].decision, 0);
  EXPECT_EQ(flying[0].stage, Stage::kReserved);
  EXPECT_EQ(flying[0].role, "");
  EXPECT_EQ(flying[0].since_s, 1000.0);

  CallIntent intent = IntentOf(Role::kPlan);
  intent.provider = "exec";
  intent.model = "agent";
  intent.sent_at_s = 1010.0;
  Must(Calls(database_).Begin(attempt, intent,
                              {{{kRootNode, Kinship::kSelected}}, {}}));
  flying = Must(ReadInFlight(database_, campaign_));
  ASSERT_EQ(flying.size(), 1u);
  EXPECT_EQ(flying[0].role, "plan");
  EXPECT_EQ(flying[0].model, "exec:agent");
  EXPECT_EQ(flying[0].since_s, 1010.0);
}

// Another campaign of the file has three nodes and an attempt in flight.
TEST_F(LiveCampaignsTest, WhatIsReadIsOfOneCampaign) {
  Grow(database_, campaign_, kRootNode);
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode);
  Grow(database_, other, kRootNode);
  Must(Attempts(database_).Reserve(other, ReservationOf(2, kRootNode)));
  EXPECT_THAT(Must(ReadInFlight(database_, campaign_)), IsEmpty());
  // Created, and two nodes committed.
  EXPECT_EQ(Must(ReadHappenings(database_, campaign_, 10)).size(), 3u);
}

// A subject that is no node's number has no verdict: that of an adoption is a
// decision.
TEST_F(LiveCampaignsTest, OnlyWhatBefellNodesHasAVerdict) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  Must(Attempts(database_).Adopt(attempt, "other", 2500.0, 3000.0));
  const auto all = Must(ReadHappenings(database_, campaign_, 1));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "adopted");
  EXPECT_EQ(all[0].subject, 0);
  EXPECT_EQ(all[0].detail, "other");
  EXPECT_EQ(all[0].at_s, 2500.0);
  EXPECT_FALSE(all[0].verdict.has_value());
}

TEST_F(LiveCampaignsTest, InFlightIsToldByTheLastCallOfAnAttempt) {
  Attempts attempts(database_);
  Calls calls(database_);
  const AttemptId first =
      Must(attempts.Reserve(campaign_, ReservationOf(0, kRootNode)));
  const AttemptId second =
      Must(attempts.Reserve(campaign_, ReservationOf(1, kRootNode)));
  CallEnd failed = AnswerOf("");
  failed.outcome = CallOutcome::kFailed;
  failed.ended_at_s = 1030.0;
  Must(calls.End(Must(calls.Begin(second, IntentOf(Role::kPlan), {})), failed));
  Must(calls.End(Must(calls.Begin(first, IntentOf(Role::kPlan), {})), failed));
  const CallId call = Must(calls.Begin(first, IntentOf(Role::kCode), {}));
  WireIntent intent;
  intent.request = "{}";
  intent.cost_usd_bound = 2.0;
  Must(WireCalls(database_).Begin(call, intent, {}));
  const auto flying = Must(ReadInFlight(database_, campaign_));
  ASSERT_EQ(flying.size(), 2u);
  EXPECT_EQ(flying[0].role, "code");
  EXPECT_EQ(flying[0].model, "replay:model");
  EXPECT_EQ(flying[1].role, "");
  EXPECT_EQ(flying[1].model, "");
  EXPECT_EQ(flying[1].since_s, 1030.0);
}

}  // namespace
}  // namespace coppice::store
