#include "search/policies/model_bandit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

namespace coppice::search {
namespace {

constexpr std::optional<double> kFailed;

// Computed from Shinka's own code.  Arm 1 gains nothing at first and arm 2
// fails; the gains are 0.5 and 0.5 of arm 0, 0.4 of arm 1.
TEST(ModelBanditTest, ScoresAreThoseOfShinka) {
  ModelBandit bandit(3);
  bandit.Complete(0, 1.5, 1.0);
  bandit.Complete(1, 1.1, 1.2);
  bandit.Complete(2, kFailed, 1.0);
  bandit.Complete(0, 2.0, 1.5);
  bandit.Complete(1, 1.9, 1.5);
  const std::vector<double> means = bandit.Means();
  EXPECT_NEAR(means[0], 1.0, 1e-6);
  EXPECT_NEAR(means[1], 0.461394, 1e-6);
  EXPECT_EQ(means[2], 0.0);
  const std::vector<double> scores = bandit.Scores();
  EXPECT_NEAR(scores[0], 2.268636, 1e-6);
  EXPECT_NEAR(scores[1], 1.730030, 1e-6);
  EXPECT_NEAR(scores[2], 1.794123, 1e-6);
  const std::vector<double> chances = bandit.Chances();
  EXPECT_DOUBLE_EQ(chances[0], 0.8);
  EXPECT_DOUBLE_EQ(chances[1], 0.1);
  EXPECT_DOUBLE_EQ(chances[2], 0.1);
}

TEST(ModelBanditTest, ArmsNeverCalledComeFirst) {
  ModelBandit bandit(3);
  bandit.Complete(1, 2.0, 0.0);
  EXPECT_EQ(bandit.Chances(), (std::vector<double>{0.5, 0.0, 0.5}));
  bandit.Submit(0);  // In flight, which is a call.
  EXPECT_EQ(bandit.Chances(), (std::vector<double>{0.0, 0.0, 1.0}));
}

TEST(ModelBanditTest, OneArmHasAllChances) {
  ModelBandit bandit(1);
  EXPECT_EQ(bandit.Chances(), std::vector<double>{1.0});
  bandit.Complete(0, kFailed, 0.0);
  EXPECT_EQ(bandit.Chances(), std::vector<double>{1.0});
}

// Neither has gained: both means are 0, both were called once.
TEST(ModelBanditTest, ATieIsUniform) {
  ModelBandit bandit(2);
  bandit.Complete(0, kFailed, 0.0);
  bandit.Complete(1, -0.5, 0.0);
  EXPECT_EQ(bandit.Means(), (std::vector<double>{0.0, 0.0}));
  EXPECT_EQ(bandit.Chances(), (std::vector<double>{0.5, 0.5}));
}

// A child of 0.1 that was made from a node slower than the root gained 0.1.
TEST(ModelBanditTest, TheRootIsTheLeastToBeat) {
  ModelBandit slow(1), root(1);
  slow.Complete(0, 0.1, -3.0);
  root.Complete(0, 0.1, 0.0);
  slow.Complete(0, 0.3, 0.2);
  root.Complete(0, 0.3, 0.2);
  EXPECT_EQ(slow.Means(), root.Means());
}

// With two calls each and four in all: sqrt(2 ln 4 / 2) = 1.1774; with ten more
// of arm 0 in flight, sqrt(2 ln 14 / 12) = 0.6632 and sqrt(2 ln 14 / 2)
// = 1.6245.
TEST(ModelBanditTest, CallsInFlightLowerAnArm) {
  ModelBandit bandit(2);
  for (int i = 0; i < 2; ++i) {
    bandit.Submit(0);
    bandit.Complete(0, kFailed, 0.0);
    bandit.Complete(1, kFailed, 0.0);
  }
  EXPECT_NEAR(bandit.Scores()[0], 1.1774, 1e-4);
  for (int i = 0; i < 10; ++i) bandit.Submit(0);
  EXPECT_NEAR(bandit.Scores()[0], 0.6632, 1e-4);
  EXPECT_NEAR(bandit.Scores()[1], 1.6245, 1e-4);
}

// Without doubt (all calls of an arm cost the same, and the range is 0.1 *
// 0.03): mean costs 0.01 and 0.04, median 0.025, one call each of two in all:
// doubt 0.1 * 0.03 * sqrt(2 ln 2) = 0.003532.  Ratios 0.025 / 0.006468 = 3.8654
// and 0.025 / 0.036468 = 0.68553; scaled 1 and 0.17735.  Both scores are
// sqrt(2 ln 2) = 1.17741 before, and half of each counts.
TEST(ModelBanditTest, CheaperArmsScoreHigher) {
  ModelBandit bandit(2, {.cost_weight = 0.5});
  bandit.Complete(0, kFailed, 0.0, 0.01);
  bandit.Complete(1, kFailed, 0.0, 0.04);
  EXPECT_NEAR(bandit.Scores()[0], 0.5 * 1.17741 + 0.5, 1e-4);
  EXPECT_NEAR(bandit.Scores()[1], 0.5 * 1.17741 + 0.5 * 0.17735, 1e-4);
}

TEST(ModelBanditTest, CostsDoNotCountWhereAnArmHasNoneOrAllAreFree) {
  ModelBandit unpriced(2, {.cost_weight = 0.5});
  unpriced.Complete(0, kFailed, 0.0, 0.01);
  unpriced.Complete(1, kFailed, 0.0);
  EXPECT_EQ(unpriced.Scores()[0], unpriced.Scores()[1]);
  ModelBandit free(2, {.cost_weight = 0.5});
  free.Complete(0, kFailed, 0.0, 0.0);
  free.Complete(1, kFailed, 0.0, 0.0);
  EXPECT_EQ(free.Scores()[0], free.Scores()[1]);
}

// A gain of 700 squares e^700, which no double holds.
TEST(ModelBanditTest, HugeGainsDoNotOverflow) {
  ModelBandit bandit(2, {.sharpness = 2.0});
  bandit.Complete(0, 700.0, 0.0);
  bandit.Complete(1, 1.0, 0.0);
  EXPECT_TRUE(std::isfinite(bandit.Scores()[0]));
  EXPECT_GT(bandit.Scores()[0], bandit.Scores()[1]);
}

TEST(ModelBanditTest, WithoutADiscountNothingIsForgotten) {
  ModelBandit bandit(2, {.discount = 1.0});
  bandit.Complete(0, std::log(3.0), 0.0);  // e^g - 1 = 2.
  bandit.Complete(1, std::log(2.0), 0.0);  // 1.
  bandit.Complete(1, kFailed, 0.0);        // 0.
  // The largest is 2: means 2 / 2 and (1 + 0) / 2 / 2.
  EXPECT_NEAR(bandit.Means()[0], 1.0, 1e-12);
  EXPECT_NEAR(bandit.Means()[1], 0.25, 1e-12);
}

// 10,000 draws give 8,000, 1,000 and 1,000, with standard deviations of 40 and
// 30.
TEST(ModelBanditTest, SelectsByItsChances) {
  ModelBandit bandit(3);
  bandit.Complete(0, 1.0, 0.0);
  bandit.Complete(1, 0.1, 0.0);
  bandit.Complete(2, kFailed, 0.0);
  std::array<int, 3> counts{};
  for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
    RandomStream stream(seed, Purpose::kSelect, 0);
    ++counts[bandit.Select(stream)];
  }
  EXPECT_NEAR(counts[0], 8000, 200);
  EXPECT_NEAR(counts[1], 1000, 150);
  EXPECT_NEAR(counts[2], 1000, 150);
}

// A failure, then a gain of ln 3 that counts as 2: the mean of the two is 1,
// half of the largest reward.
TEST(ModelBanditTest, MeansAreSharesOfTheLargestReward) {
  ModelBandit bandit(2, {.discount = 1.0});
  bandit.Complete(0, kFailed, 0.0);
  bandit.Complete(0, std::log(3.0), 0.0);
  EXPECT_NEAR(bandit.Means()[0], 0.5, 1e-12);
  // As much again by the other arm, in one call.
  bandit.Complete(1, std::log(3.0), 0.0);
  EXPECT_NEAR(bandit.Means()[0], 0.5, 1e-12);
  EXPECT_NEAR(bandit.Means()[1], 1.0, 1e-12);
}

}  // namespace
}  // namespace coppice::search
