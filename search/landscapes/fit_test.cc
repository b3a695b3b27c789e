#include "search/landscapes/fit.h"

#include <gtest/gtest.h>

#include "search/landscapes/recorded_examples.h"

namespace coppice::search {
namespace {

// There are 14 attempts: 5 on the root, 8 on what passed, and 1 repair.
TEST(FitTest, AttemptsAreCountedByWhatTheyAreOn) {
  const Estimates seen = EstimatesOf(TwoCampaigns());
  EXPECT_EQ(seen.first_hops.attempts, 5);
  EXPECT_EQ(seen.first_hops.compiled, 4);
  EXPECT_EQ(seen.first_hops.passed, 4);
  EXPECT_EQ(seen.edits.attempts, 8);
  EXPECT_EQ(seen.edits.passed, 8);
  EXPECT_EQ(seen.repairs.attempts, 1);
  EXPECT_EQ(seen.repairs.passed, 1);
  EXPECT_EQ(seen.verdicts[static_cast<int>(Verdict::kPassed)], 13);
  EXPECT_EQ(seen.verdicts[static_cast<int>(Verdict::kCompileFailed)], 1);
  EXPECT_EQ(seen.first_hop, (std::vector<double>{1.0, 2.0, 2.0, 4.0}));
}

// Their children are at 1.2 and 1.6 on average for parents at 1 and 2.
TEST(FitTest, InheritanceIsTheSlopeWithinCampaigns) {
  const Estimates seen = EstimatesOf(TwoCampaigns());
  ASSERT_EQ(seen.inheritance.size(), 1u);  // All parents are first hops.
  EXPECT_EQ(seen.inheritance[0].depth, 1u);
  EXPECT_EQ(seen.inheritance[0].edits, 8u);
  EXPECT_NEAR(*seen.inheritance[0].slope, 0.4, 1e-12);
}

// By distance from the best: 0 (-0.5, -0.3, -1.0, -0.6), 1 (0.1, 0.3) and 2
// (0.2, 0.6).  Thirds of these eight are two, three and three.
TEST(FitTest, ReturnsAreByDistanceFromTheBest) {
  const Estimates seen = EstimatesOf(TwoCampaigns());
  ASSERT_EQ(seen.returns.size(), 3u);
  EXPECT_EQ(seen.returns[0].edits, 2u);
  EXPECT_EQ(seen.returns[0].improving, 0.0);
  EXPECT_NEAR(seen.returns[0].gain, -0.4, 1e-12);
  EXPECT_EQ(seen.returns[1].farthest, 1.0);
  EXPECT_NEAR(seen.returns[1].improving, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(seen.returns[1].gain, -0.6, 1e-12);
  EXPECT_EQ(seen.returns[2].nearest, 1.0);
  EXPECT_EQ(seen.returns[2].improving, 1.0);
  EXPECT_NEAR(seen.returns[2].gain, 0.3, 1e-12);
}

// 13 of 14 compiled: 13.5/15.  All that compiled are right, 4 of 4 first hops
// and 8 of 8 edits: 4.5/5 and 8.5/9, whose odds are 9 and 17.
TEST(FitTest, RatesAreNeverCertain) {
  const FittedLaw law = *Fit(Family::kWeak, TwoCampaigns());
  EXPECT_DOUBLE_EQ(law.parameters.team.compiles, 0.9);
  EXPECT_DOUBLE_EQ(law.parameters.team.is_right, 0.9);
  EXPECT_DOUBLE_EQ(law.parameters.feedback, 0.636);  // ln(17/9)
  EXPECT_DOUBLE_EQ(law.parameters.team.repairs, 0.75);
}

// Ceilings are 2 + 0.3 and 4 + 0.6: mean 3.45, variance 2.645, so the Gamma's
// shape is 3.45^2 / 2.645 and its scale 2.645 / 3.45.
TEST(FitTest, CeilingsAreBeyondTheBestByTheWayToIt) {
  const FittedLaw law = *Fit(Family::kWeak, TwoCampaigns());
  EXPECT_DOUBLE_EQ(law.ceilings.shape, 4.5);
  EXPECT_DOUBLE_EQ(law.ceilings.scale, 0.7667);
}

// child = 0.8 + 0.4 parent, and 1.6 + 0.4 parent: edits regress to 4/3 and 8/3.
// Heights are 2.3 - 4/3 = 0.9667 and twice that.  First hops are off the median
// by |ln(1.3 / 0.9667)| = 0.2963 and |ln(0.3 / 0.9667)| = 1.1701 in each, whose
// median over 0.6745 is 1.0870.  Edits are off by 0.1 / 0.9667 = 0.10345, which
// over 0.7407 and the shortfall is 0.1285.
TEST(FitTest, WeakIsWhereEditsRegressToAndHowFarTheyStep) {
  const FittedLaw law = *Fit(Family::kWeak, TwoCampaigns());
  const Parameters& own = law.parameters;
  EXPECT_DOUBLE_EQ(own.inherited, 0.4);
  EXPECT_DOUBLE_EQ(own.team.craft.first_hop, 2.0);
  EXPECT_DOUBLE_EQ(own.follows, 0.5797);  // (4/3) / 2.3
  EXPECT_NEAR(own.first_hop_sd, 0.0, 1e-9);
  EXPECT_DOUBLE_EQ(own.conservative, 0.0);
  EXPECT_DOUBLE_EQ(own.shortfall, 1.087);
  EXPECT_DOUBLE_EQ(own.step, 0.1285);
  EXPECT_DOUBLE_EQ(own.team.craft.improves, 0.3);  // No drift.
}

// The difference of two noisy numbers: 0.1 sqrt(1 + 0.4^2) over the heights has
// the median 0.08356, of which 0.6745 are 0.05636.  So what is left of 0.10345
// is 0.08675, and the step 0.1077.
TEST(FitTest, NoiseIsNoStep) {
  const FittedLaw law = *Fit(Family::kWeak, TwoCampaigns(0.1));
  EXPECT_NEAR(law.parameters.step, 0.1077, 1e-9);
}

// Four edits of eight improve, 0.5 / 0.92; losses are 0.6 on average.  First
// hops have the medians 1.5 and 3.
TEST(FitTest, HillIsHowOftenEditsClimbAndWhatOthersLose) {
  const FittedLaw law = *Fit(Family::kHill, TwoCampaigns());
  const Parameters& own = law.parameters;
  EXPECT_DOUBLE_EQ(own.team.craft.improves, 0.5435);
  EXPECT_DOUBLE_EQ(own.gap, 1.2);
  EXPECT_DOUBLE_EQ(own.team.craft.first_hop, 2.25);
  EXPECT_DOUBLE_EQ(own.follows, 0.6522);  // 1.5 / 2.3
}

// A policy that goes on with what is best, noise and ceilings bias each
// estimate by some per cent; of 400 campaigns little is chance.
TEST(FitTest, WhatMadeTheCampaignsIsFoundAgain) {
  FittedLaw law;
  law.ceilings = {7.0, 0.35};
  Parameters& own = law.parameters;
  own.compile_sd = 0.0;
  own.window_gain = 0.0;
  own.first_hop_sd = 0.45;
  own.follows = 0.85;
  own.conservative = 0.2;
  own.shortfall = 0.7;
  own.step = 0.55;
  own.inherited = 0.3;
  own.gap = 1.0;
  own.noise = 0.08;
  own.team = {.compiles = 0.95,
              .is_right = 0.9,
              .repairs = 0.6,
              .craft = {.first_hop = 1.5, .improves = 0.3}};
  const auto policy = MakePolicy("stark");
  ASSERT_TRUE(policy.has_value());
  RecordedCampaign like;
  like.policy = policy->get();
  like.window = kPaperWindow;
  like.nodes.resize(31);
  std::vector<RecordedCampaign> campaigns;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    campaigns.push_back(Simulate(like, TaskLaw("own", law), seed));
    for (RecordedNode& node : campaigns.back().nodes) node.noise = own.noise;
  }
  const FittedLaw found = *Fit(Family::kWeak, campaigns);
  const Parameters& again = found.parameters;
  const auto near = [](double value, double truth) {
    EXPECT_NEAR(value / truth, 1.0, 0.15);
  };
  near(found.ceilings.shape * found.ceilings.scale, 7.0 * 0.35);
  near(again.team.craft.first_hop, 1.5);
  near(again.first_hop_sd, own.first_hop_sd);
  near(again.follows, own.follows);
  near(again.conservative, own.conservative);
  near(again.shortfall, own.shortfall);
  near(again.step, own.step);
  near(again.inherited, own.inherited);
  near(again.team.compiles, own.team.compiles);
  near(again.team.is_right, own.team.is_right);
  near(again.team.repairs, own.team.repairs);
}

TEST(FitTest, OneCampaignTellsNothingOfTasks) {
  std::vector<RecordedCampaign> one = TwoCampaigns();
  one.pop_back();
  EXPECT_EQ(Fit(Family::kWeak, one).error().code, Errc::kUsage);
}

// Parents at depths 1 to 5.  The last three, 1.1, 1.5 and 1.3, have children
// at 1.5, 1.3 and 1.4: about their means the squares are 0.08 and the products
// -0.04.
TEST(FitTest, ParentsFromTheThirdDepthOnAreTakenTogether) {
  RecordedCampaign chain;
  chain.nodes = {{}};
  for (const double log_speedup : {1.0, 1.2, 1.1, 1.5, 1.3, 1.4}) {
    chain.nodes.push_back(
        {chain.nodes.size() - 1, Verdict::kPassed, log_speedup, 0.0});
  }
  const std::vector<RecordedCampaign> campaigns = {chain};
  const Estimates seen = EstimatesOf(campaigns);
  ASSERT_EQ(seen.inheritance.size(), 3u);
  EXPECT_EQ(seen.inheritance[0].edits, 1u);
  EXPECT_FALSE(seen.inheritance[0].slope.has_value());  // One alone has none.
  EXPECT_EQ(seen.inheritance[2].depth, 3u);
  EXPECT_EQ(seen.inheritance[2].edits, 3u);
  EXPECT_NEAR(*seen.inheritance[2].slope, -0.5, 1e-12);
}

// 0.1, 0.2 and 0.4; one is not known, and one is of a kernel that fails.
TEST(FitTest, NoiseIsTheMedianOfWhatIsKnown) {
  RecordedCampaign campaign;
  campaign.nodes = {{},
                    {0, Verdict::kPassed, 1.0, 0.4},
                    {0, Verdict::kPassed, 1.0, 0.0},
                    {0, Verdict::kPassed, 1.0, 0.1},
                    {0, Verdict::kWrongOutput, 1.0, 9.0},
                    {0, Verdict::kPassed, 1.0, 0.2}};
  const std::vector<RecordedCampaign> campaigns = {campaign};
  EXPECT_EQ(EstimatesOf(campaigns).noise, 0.2);
  EXPECT_EQ(EstimatesOf({}).noise, 0.0);
}

std::vector<RecordedCampaign> TwoAlike(const std::vector<double>& hops,
                                       const std::vector<double>& edits) {
  RecordedCampaign one;
  one.nodes = {{}};
  for (const double hop : hops) {
    one.nodes.push_back({0, Verdict::kPassed, hop, 0.0});
  }
  for (const double edit : edits) {
    one.nodes.push_back({1, Verdict::kPassed, edit, 0.0});
  }
  return {one, one};
}

// 0.1 and -0.14 are, and 0.15 is not; true rewrites land at 0.15 and 2.
TEST(FitTest, HopsThatHardlyMoveAreConservative) {
  const FittedLaw law =
      *Fit(Family::kHill, TwoAlike({0.1, -0.14, 0.15, 2.0}, {0.3, 0.4}));
  EXPECT_DOUBLE_EQ(law.parameters.conservative, 0.5);
  EXPECT_DOUBLE_EQ(law.parameters.team.craft.first_hop, 1.075);
  // Where none is a true one, work starts at the lowest parent.
  const FittedLaw tame = *Fit(Family::kHill, TwoAlike({0.1}, {0.3, 0.4}));
  EXPECT_DOUBLE_EQ(tame.parameters.conservative, 1.0);
  EXPECT_DOUBLE_EQ(tame.parameters.team.craft.first_hop, 0.1);
}

// Both are at 2 + 1.6.
TEST(FitTest, CeilingsThatDoNotDifferHaveTheGreatestShape) {
  const FittedLaw law = *Fit(Family::kWeak, TwoAlike({0.1, 2.0}, {0.3, 0.4}));
  EXPECT_DOUBLE_EQ(law.ceilings.shape, 1000.0);
  EXPECT_DOUBLE_EQ(law.ceilings.scale, 0.0036);
  EXPECT_DOUBLE_EQ(law.parameters.follows, 0.0);
  EXPECT_DOUBLE_EQ(law.parameters.first_hop_sd, 0.0);
}

}  // namespace
}  // namespace coppice::search
