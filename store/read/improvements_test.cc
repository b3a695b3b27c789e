#include "store/read/improvements.h"

#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::store {
namespace {

class ImprovementsTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

// Root 4 s; node 1 takes 2 s, 2 crashes, 3 takes 4 s, 4 takes 1 s.
TEST_F(ImprovementsTest, TheyAreTheStepsOfTheBest) {
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
TEST_F(ImprovementsTest, ASpanIsFromTheFirstNodeToTheLast) {
  Grow(database_, campaign_, kRootNode);
  Grow(database_, campaign_, kRootNode);
  EXPECT_EQ(Must(ReadSpan(database_, campaign_)), std::pair(1000.0, 1002.0));
  const CampaignId bare = Must(Campaigns(database_).Create(SpecNamed("bare")));
  EXPECT_FALSE(Must(ReadSpan(database_, bare)).has_value());
}

// Another campaign of the file has three nodes, which are faster.
TEST_F(ImprovementsTest, WhatIsReadIsOfOneCampaign) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.runtime_s = 1.0});
  Grow(database_, other, kRootNode, {.runtime_s = 0.5});
  EXPECT_EQ(Must(ReadImprovements(database_, campaign_)).size(), 2u);
  EXPECT_EQ(Must(ReadSpan(database_, campaign_)), std::pair(1000.0, 1001.0));
}

}  // namespace
}  // namespace coppice::store
