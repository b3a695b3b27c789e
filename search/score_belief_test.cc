#include "search/score_belief.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::search {
namespace {

// TreeQuest's golden values for the scores 0.5 and 0.7: m = 0.4, kappa = nu =
// 3, tau2 = (0.1 + 0.02 + 2 * 0.36 / 3) / 3 = 0.12.
TEST(ScoreBeliefTest, TheNormalOneIsThatOfAPeersGoldenValues) {
  const auto belief = NormalBelief::After(
      0.0, {.count = 2, .sum = 1.2, .squares = 0.25 + 0.49});
  EXPECT_NEAR(belief.mean, 0.4, 1e-12);
  EXPECT_NEAR(belief.weight, 3.0, 1e-12);
  EXPECT_NEAR(belief.scale, 0.12, 1e-12);
}

TEST(ScoreBeliefTest, WithoutScoresItIsThePrior) {
  const auto belief = NormalBelief::After(0.3, {});
  EXPECT_EQ(belief.mean, 0.3);
  EXPECT_EQ(belief.weight, 1.0);
  EXPECT_EQ(belief.scale, 0.1);
  const auto beta = BetaBelief::After(0.3, {});
  EXPECT_DOUBLE_EQ(beta.a, 0.3);
  EXPECT_DOUBLE_EQ(beta.b, 0.7);
}

TEST(ScoreBeliefTest, TheBetaOneAddsScoresAndWhatTheyLackOfOne) {
  const auto belief = BetaBelief::After(0.5, {.count = 3, .sum = 2.0});
  EXPECT_DOUBLE_EQ(belief.a, 2.5);
  EXPECT_DOUBLE_EQ(belief.b, 1.5);
}

TEST(ScoreBeliefTest, RoundingDoesNoHarm) {
  const auto normal =
      NormalBelief::After(0.0, {.count = 1, .sum = 1.0, .squares = 1 - 1e-15});
  EXPECT_GT(normal.scale, 0.0);
  const auto beta = BetaBelief::After(1e-9, {.count = 1, .sum = -1e-8});
  EXPECT_GT(beta.a, 0.0);
}

// mu is m plus sqrt(tau2 / kappa) times a t variate of nu degrees: with kappa =
// nu = 9 its variance is tau2 / 9 * 9 / 7 = tau2 / 7.  One score of 0 eight
// times from m = 0: tau2 = 0.1 / 9, so the deviation is 0.0398, and of the mean
// of 40,000 draws 0.0002.
TEST(ScoreBeliefTest, NormalDrawsAreOfAStudentsT) {
  const auto belief = NormalBelief::After(0.0, {.count = 8});
  RandomStream stream(1, Purpose::kSimulation, 0);
  double sum = 0, squares = 0;
  for (int i = 0; i < 40000; ++i) {
    const double draw = belief.Draw(stream);
    sum += draw;
    squares += draw * draw;
  }
  EXPECT_NEAR(sum / 40000, 0.0, 0.001);
  EXPECT_NEAR(std::sqrt(squares / 40000), 0.0398, 0.001);
}

}  // namespace
}  // namespace coppice::search
