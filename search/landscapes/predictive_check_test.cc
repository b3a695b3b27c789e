#include "search/landscapes/predictive_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/landscapes/recorded_examples.h"

namespace coppice::search {
namespace {

// 13 of 14 attempts pass, all but one that does not compile.  Gains are 0.1,
// 0.3, 0.2 and 0.6; losses 0.5, 0.3, 1.0 and 0.6.  First attempts come to 1 and
// 2, the second ones to 2 and 4, which stay the best.
TEST(PredictiveCheckTest, StatisticsAreOfAllCampaignsTogether) {
  const std::array<double, kStatistics.size()> expected = {
      13.0 / 14.0, 13.0 / 14.0,    0.5, 1.5, 0.5, 0.3, 0.6, 0.4, 1.5, 3.0, 3.0,
      3.0,         std::sqrt(2.0), 1.0};
  const Statistics own = StatisticsOf(TwoCampaigns());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(own.at(i).has_value()) << kStatistics.at(i).name;
    EXPECT_NEAR(*own.at(i), expected.at(i), 1e-12) << kStatistics.at(i).name;
  }
}

TEST(PredictiveCheckTest, WhatIsNotThereIsNotTold) {
  RecordedCampaign failing;
  failing.nodes = {{}, {0, Verdict::kWrongOutput, 0.0, 0.0}};
  const std::vector<RecordedCampaign> campaigns = {failing};
  const Statistics own = StatisticsOf(campaigns);
  EXPECT_EQ(own[0], 1.0);            // It compiled,
  EXPECT_EQ(own[1], 0.0);            // and did not pass.
  EXPECT_FALSE(own[3].has_value());  // No first hop,
  EXPECT_FALSE(own[4].has_value());  // no edit.
  EXPECT_EQ(own[8], 0.0);            // The root is the best.
}

FittedLaw Compiling(double share) {
  FittedLaw law;
  law.ceilings = {4.0, 0.5};
  law.parameters.compile_sd = 0.0;
  law.parameters.shortfall = 0.5;
  law.parameters.team = {.compiles = share,
                         .is_right = 0.9,
                         .repairs = 0.5,
                         .craft = {.first_hop = 1.0, .improves = 0.3}};
  law.parameters.alone = law.parameters.team;
  return law;
}

// 6 campaigns of 20 attempts: the standard error of 0.9 is 0.03, of 0.5 it is
// 0.05.
TEST(PredictiveCheckTest, ACheckFailsWhereTheLawIsAnother) {
  const auto policy = MakePolicy("stark");
  ASSERT_TRUE(policy.has_value());
  RecordedCampaign like;
  like.policy = policy->get();
  like.window = kPaperWindow;
  like.nodes.resize(21);
  const TaskLaw law("own", Compiling(0.9));
  std::vector<RecordedCampaign> data;
  for (std::uint64_t seed = 1001; seed <= 1006; ++seed) {
    data.push_back(Simulate(like, law, seed));
    ASSERT_EQ(data.back().Attempts(), 20u);
  }
  const std::vector<Check> own = CheckPredictions(data, law, 50);
  const std::vector<Check> other =
      CheckPredictions(data, TaskLaw("other", Compiling(0.5)), 50);
  EXPECT_FALSE(own[0].IsOutside());
  EXPECT_NEAR(own[0].mean, 0.9, 0.03);
  EXPECT_TRUE(other[0].IsOutside());
  EXPECT_NEAR(other[0].mean, 0.5, 0.05);
}

// One outside at 4 standard deviations, one inside at 1, one without data.
TEST(PredictiveCheckTest, MisfitIsHowManyAreOutsideThenHowFar) {
  const std::vector<Check> checks = {{kStatistics[0], 3.0, 1.0, 0.0, 2.0, 0.5},
                                     {kStatistics[1], 1.5, 1.0, 0.0, 2.0, 0.5},
                                     {kStatistics[2], {}, 1.0, 0.0, 2.0, 0.5}};
  const Misfit misfit = MisfitOf(checks);
  EXPECT_EQ(misfit.outside, 1);
  EXPECT_DOUBLE_EQ(misfit.distance, 2.5);
  EXPECT_LT((Misfit{1, 9.0}), (Misfit{2, 0.1}));
}

// It is slower than the root all the way, but for what computes wrong.
TEST(PredictiveCheckTest, ACampaignThatGainsNothingStaysAtItsRoot) {
  RecordedCampaign slow;
  slow.nodes = {{},
                {0, Verdict::kPassed, -1.0, 0.0},
                {1, Verdict::kPassed, -0.5, 0.0},
                {0, Verdict::kWrongOutput, 3.0, 0.0}};
  const std::vector<RecordedCampaign> campaigns = {slow};
  const std::optional<double> none;
  const Statistics expected = {1.0,  2.0 / 3.0, 0.0, -1.0, 1.0, 0.5,  none,
                               none, 0.0,       0.0, 0.0,  0.0, none, 0.0};
  const Statistics own = StatisticsOf(campaigns);
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own.at(i), expected.at(i)) << kStatistics.at(i).name;
  }
}

TEST(PredictiveCheckTest, WhatLiesOnABoundIsInside) {
  const auto outside = [](std::optional<double> data) {
    return Check{kStatistics[0], data, 1.0, 0.5, 2.0, 0.5}.IsOutside();
  };
  EXPECT_FALSE(outside(0.5));
  EXPECT_FALSE(outside(2.0));
  EXPECT_TRUE(outside(0.49));
  EXPECT_TRUE(outside(2.01));
  EXPECT_FALSE(outside(std::nullopt));
}

// A distance in standard deviations of 0 is none.
TEST(PredictiveCheckTest, NothingKnownIsNoMisfit) {
  EXPECT_EQ(MisfitOf({}).distance, 0.0);
  const std::vector<Check> checks = {{kStatistics[0], 3.0, 1.0, 1.0, 1.0, 0.0}};
  EXPECT_EQ(MisfitOf(checks).outside, 1);
  EXPECT_EQ(MisfitOf(checks).distance, 0.0);
  EXPECT_LT((Misfit{1, 0.5}), (Misfit{1, 0.6}));
}

}  // namespace
}  // namespace coppice::search
