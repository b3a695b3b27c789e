#include "store/write/live_campaigns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::IsEmpty;

class LiveCampaignsTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

// Root 4 s; node 1 takes 2 s, 2 crashes, 3 takes 4 s, 4 takes 1 s.
TEST_F(LiveCampaignsTest, ImprovementsAreTheStepsOfTheBest) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, campaign_, kRootNode, {.runtime_s = 4.0});
  Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0});
  const auto steps = Must(ReadImprovements(database_, campaign_));
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].node, kRootNode);
  EXPECT_EQ(steps[0].speedup, 1.0);
  EXPECT_EQ(steps[1].node, NodeId{1});
  EXPECT_EQ(steps[1].speedup, 2.0);
  EXPECT_EQ(steps[2].node, NodeId{4});
  EXPECT_EQ(steps[2].speedup, 4.0);
  EXPECT_EQ(steps[2].committed_at_s, 1004.0);
}

// The root is committed at 1000 s, and node 2 at 1002 s.
TEST_F(LiveCampaignsTest, ASpanIsFromTheFirstNodeToTheLast) {
  Grow(database_, campaign_, kRootNode);
  Grow(database_, campaign_, kRootNode);
  EXPECT_EQ(Must(ReadSpan(database_, campaign_)), std::pair(1000.0, 1002.0));
  const CampaignId bare = Must(Campaigns(database_).Create(SpecNamed("bare")));
  EXPECT_FALSE(Must(ReadSpan(database_, bare)).has_value());
}

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

}  // namespace
}  // namespace coppice::store
