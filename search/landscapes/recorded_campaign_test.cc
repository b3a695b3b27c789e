#include "search/landscapes/recorded_campaign.h"

#include <gtest/gtest.h>

#include <memory>

#include "search/landscapes/recorded_examples.h"

namespace coppice::search {
namespace {

// Two under 1.0, two under 2.0; before each of them 2.0 was the best.  What
// came of a failure is no edit.
TEST(RecordedCampaignTest, EditsAreOfNodesThatPass) {
  const std::vector<Edit> edits = EditsOf(TwoCampaigns()[0]);
  const std::vector<std::pair<double, double>> expected = {
      {1.0, 1.1}, {1.0, 1.3}, {2.0, 1.5}, {2.0, 1.7}};
  ASSERT_EQ(edits.size(), expected.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EXPECT_EQ(edits[i].depth, 1U);
    EXPECT_EQ(edits[i].parent, expected[i].first);
    EXPECT_EQ(edits[i].child, expected[i].second);
    EXPECT_EQ(edits[i].best, 2.0);
  }
}

// The root is there before all others.
TEST(RecordedCampaignTest, TheBestIsNeverBelowTheRoot) {
  RecordedCampaign slow;
  slow.nodes = {{},
                {0, Verdict::kPassed, -1.0, 0.0},
                {1, Verdict::kPassed, -0.5, 0.0},
                {2, Verdict::kPassed, 0.5, 0.0},
                {3, Verdict::kPassed, 0.2, 0.0}};
  const std::vector<Edit> edits = EditsOf(slow);
  ASSERT_EQ(edits.size(), 3U);
  EXPECT_EQ(edits[0].best, 0.0);
  EXPECT_EQ(edits[1].best, 0.0);
  EXPECT_EQ(edits[2].best, 0.5);
  EXPECT_EQ(edits[2].depth, 3U);
  EXPECT_EQ(DepthOf(slow, 4), 4U);
  EXPECT_EQ(DepthOf(slow, 0), 0U);
}

TEST(RecordedCampaignTest, FirstHopsAreTheRootsChildrenThatPass) {
  const auto campaigns = TwoCampaigns();
  EXPECT_EQ(FirstHopsOf(campaigns[0]), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(FirstHopsOf(campaigns[1]), (std::vector<double>{2.0, 4.0}));
}

TEST(RecordedCampaignTest, VerdictsTellWhatCompiledAndWhatPassed) {
  struct Case {
    Verdict verdict;
    bool compiles, passes;
  };
  for (const auto& [verdict, compiles, passes] :
       {Case{Verdict::kPassed, true, true},
        Case{Verdict::kCompileFailed, false, false},
        Case{Verdict::kNoCandidate, false, false},
        Case{Verdict::kWrongOutput, true, false},
        Case{Verdict::kCrashed, true, false},
        Case{Verdict::kTimedOut, true, false},
        Case{Verdict::kRejected, true, false},
        Case{Verdict::kInconclusive, true, false}}) {
    const RecordedNode node{0, verdict, 0.0, 0.0};
    EXPECT_EQ(Compiles(node), compiles) << Name(verdict);
    EXPECT_EQ(Passes(node), passes) << Name(verdict);
  }
}

// x about 1.5: -0.5 -0.5 0.5 0.5, y about 1.4: -0.3 -0.1 0.1 0.3.
TEST(RegressionTest, EditsLieOnTheLineOfTheirCampaign) {
  const auto campaigns = TwoCampaigns();
  Regression line;
  line.Add(EditsOf(campaigns[0]));
  EXPECT_NEAR(line.xx, 1.0, 1e-12);
  EXPECT_NEAR(line.xy, 0.4, 1e-12);
  // Doubled in both directions.
  line.Add(EditsOf(campaigns[1]));
  EXPECT_NEAR(line.xx, 5.0, 1e-12);
  EXPECT_NEAR(line.Slope().value(), 0.4, 1e-12);
}

// Both go up by 1, though the second lies below the first.
TEST(RegressionTest, GroupsAreNotComparedWithEachOther) {
  Regression line;
  line.Add({1.0, 2.0}, {5.0, 6.0});
  line.Add({101.0, 102.0}, {0.0, 1.0});
  EXPECT_DOUBLE_EQ(line.Slope().value(), 1.0);
}

TEST(RegressionTest, WithoutADifferenceThereIsNoSlope) {
  Regression line;
  EXPECT_EQ(line.Slope(), std::nullopt);
  line.Add({}, {});
  line.Add({3.0, 3.0}, {1.0, 2.0});
  EXPECT_EQ(line.Slope(), std::nullopt);
}

TEST(RecordedCampaignTest, ASimulationHasAsManyAttemptsOnTheTaskOfItsSeed) {
  const auto policy = MakePolicy("stark");
  ASSERT_TRUE(policy.has_value());
  RecordedCampaign like;
  like.policy = policy->get();
  like.window = kPaperWindow;
  like.nodes.resize(13);
  const TaskLaw law(Family::kWeak, 2);
  const auto speeds = [&](std::uint64_t seed) {
    std::vector<double> all;
    for (const RecordedNode& node : Simulate(like, law, seed).nodes) {
      EXPECT_LE(node.parent, all.size());
      all.push_back(node.log_speedup);
    }
    return all;
  };
  EXPECT_EQ(speeds(1).size(), 13U);
  EXPECT_EQ(speeds(1), speeds(1));
  EXPECT_NE(speeds(1), speeds(2));
}

}  // namespace
}  // namespace coppice::search
