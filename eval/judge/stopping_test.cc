#include "eval/judge/stopping.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace coppice::eval {
namespace {

constexpr TimingBudget kBudget{.min_rounds = 5,
                               .max_rounds = 8,
                               .seconds = 1.0,
                               .noise = 0.01,
                               .batch_s = 0.002,
                               .long_s = 0.05};

WorkloadResult Rounds(std::vector<double> own, std::vector<double> root) {
  WorkloadResult result;
  result.samples_s = std::move(own);
  result.root_samples_s = std::move(root);
  return result;
}

// 5 rounds of 10 ms take no more than 50 ms; of 11 ms, 4; of 17 ms and of any
// more, only 2.
TEST(StoppingTest, FewerRoundsDoIfTheyAreLong) {
  EXPECT_EQ(LeastRounds(kBudget, 1e-9), 5);
  EXPECT_EQ(LeastRounds(kBudget, 0.009), 5);
  EXPECT_EQ(LeastRounds(kBudget, 0.011), 4);
  EXPECT_EQ(LeastRounds(kBudget, 0.017), 3);
  EXPECT_EQ(LeastRounds(kBudget, 100.0), 3);
}

TEST(StoppingTest, NeverStopsBeforeTheMinimum) {
  EXPECT_FALSE(Enough(Rounds({1, 1, 1, 1}, {1, 1, 1, 1}), 100.0, kBudget));
}

// What varies in both alike cancels; what varies in one does not.
TEST(StoppingTest, StopsWhenTheRatioIsQuiet) {
  const std::vector<double> quiet(5, 1.0), loud = {1, 2, 3, 1, 2};
  EXPECT_TRUE(Enough(Rounds(quiet, quiet), 0.0, kBudget));
  EXPECT_TRUE(Enough(Rounds(loud, loud), 0.0, kBudget));
  EXPECT_FALSE(Enough(Rounds(loud, quiet), 0.0, kBudget));
  EXPECT_FALSE(Enough(Rounds(quiet, loud), 0.0, kBudget));
}

// 3 of 5 rounds are kept: ln 1.02, ln 1.03 and ln 1.04, or 1, 2 and 2.  With
// the ends winsorised these vary by 0.01 and by 0.4, which is an error of about
// 0.006 and 0.2 of the mean.
TEST(StoppingTest, LoudRoundsGoOnForFiveTimesAsLong) {
  const std::vector<double> root(5, 1.0);
  const WorkloadResult calm = Rounds({1.0, 1.02, 1.03, 1.04, 1.1}, root);
  const WorkloadResult loud = Rounds({1, 2, 3, 1, 2}, root);
  EXPECT_TRUE(Enough(calm, 1.0, kBudget));
  EXPECT_FALSE(Enough(loud, 1.0, kBudget));
  EXPECT_FALSE(Enough(loud, 4.9, kBudget));
  EXPECT_TRUE(Enough(loud, 5.0, kBudget));
  TimingBudget twice = kBudget;
  twice.seconds = 2.0;
  EXPECT_FALSE(Enough(loud, 9.9, twice));
  EXPECT_TRUE(Enough(loud, 10.0, twice));
}

TEST(StoppingTest, StopsWhenRoundsAreSpent) {
  const std::vector<double> quiet(8, 1.0);
  EXPECT_TRUE(Enough(Rounds({1, 2, 3, 1, 2, 3, 1, 2}, quiet), 0.0, kBudget));
}

// 4 to 9 times as slow.
TEST(StoppingTest, WhatIsFarSlowerThanTheRootNeedsNoPrecision) {
  EXPECT_TRUE(
      Enough(Rounds({4, 9, 4, 9, 4}, std::vector(5, 1.0)), 0.0, kBudget));
}

// 2.9 and 3.1 times as slow, loud as 5 and 6 % are of that.
TEST(StoppingTest, FarSlowerIsThreeTimes) {
  const auto times = [](double slow) {
    return Rounds({slow * 0.9, slow * 1.1, slow, slow * 0.9, slow * 1.1},
                  std::vector(5, 1.0));
  };
  EXPECT_FALSE(Enough(times(2.9), 0.0, kBudget));
  EXPECT_TRUE(Enough(times(3.1), 0.0, kBudget));
}

TEST(StoppingTest, TwoRoundsDoNotTellHowMuchTheyVary) {
  TimingBudget budget = kBudget;
  budget.min_rounds = 2;
  EXPECT_FALSE(Enough(Rounds({1, 1}, {1, 1}), 0.0, budget));
  EXPECT_TRUE(Enough(Rounds({1, 1, 1}, {1, 1, 1}), 0.0, budget));
}

// Known to 0.006, above: 0.005 asks for more, 0.008 does not.
TEST(StoppingTest, TheNoiseThatSufficesIsTheBudgets) {
  const WorkloadResult calm =
      Rounds({1.0, 1.02, 1.03, 1.04, 1.1}, std::vector(5, 1.0));
  TimingBudget budget = kBudget;
  budget.noise = 0.005;
  EXPECT_FALSE(Enough(calm, 0.0, budget));
  EXPECT_FALSE(Enough(calm, 0.99, budget));
  EXPECT_TRUE(Enough(calm, 1.0, budget));  // Now 5 % do.
  budget.noise = 0.008;
  EXPECT_TRUE(Enough(calm, 0.0, budget));
}

}  // namespace
}  // namespace coppice::eval
