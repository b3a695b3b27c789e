#include "eval/stopping.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::eval {
namespace {

constexpr TimingBudget kBudget{.min_rounds = 5,
                               .max_rounds = 8,
                               .seconds = 1.0,
                               .noise = 0.01,
                               .batch_s = 0.002,
                               .long_s = 0.05};

// Sorted: 1 2 3 4 5; ranks round(0.25 * 4) = 1 and 3: quartiles 2 and 4.
// 1.2533 * (2 / 1.349) / sqrt 5 / 3 = 0.27699.
TEST(StoppingTest, NoiseMatchesTheHandComputedValue) {
  EXPECT_NEAR(MedianNoise({5, 1, 4, 2, 3}), 0.27699, 1e-5);
  EXPECT_EQ(MedianNoise({2, 2, 2, 2}), 0.0);
  EXPECT_TRUE(std::isinf(MedianNoise({1, 1, 1})));
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
  EXPECT_FALSE(Enough({1, 1, 1, 1}, {1, 1, 1, 1}, 100.0, kBudget));
}

TEST(StoppingTest, StopsWhenBothAreQuiet) {
  const std::vector<double> quiet(5, 1.0), loud = {1, 2, 3, 1, 2};
  EXPECT_TRUE(Enough(quiet, quiet, 0.0, kBudget));
  EXPECT_FALSE(Enough(loud, quiet, 0.0, kBudget));
  EXPECT_FALSE(Enough(quiet, loud, 0.0, kBudget));
}

TEST(StoppingTest, StopsWhenTimeOrRoundsAreSpent) {
  const std::vector<double> loud = {1, 2, 3, 1, 2};
  EXPECT_TRUE(Enough(loud, loud, 1.0, kBudget));
  const std::vector<double> eight = {1, 2, 3, 1, 2, 3, 1, 2};
  EXPECT_TRUE(Enough(eight, eight, 0.0, kBudget));
}

TEST(StoppingTest, WhatIsFarSlowerThanTheRootNeedsNoPrecision) {
  const std::vector<double> root = {1, 2, 1, 2, 1}, slow = {4, 9, 4, 9, 4};
  EXPECT_TRUE(Enough(slow, root, 0.0, kBudget));
}

}  // namespace
}  // namespace coppice::eval
