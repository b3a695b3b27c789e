#include "agents/catalogue/prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace coppice::agents::catalogue {
namespace {

Lesson Tried(const std::string& technique, double ratio, double nearness = 1) {
  Lesson lesson;
  lesson.technique = technique;
  lesson.verdict = Verdict::kPassed;
  lesson.effect = Speedup{ratio, Interval{ratio * 0.99, ratio * 1.01}};
  lesson.nearness = nearness;
  return lesson;
}

Lesson Failed(const std::string& technique) {
  Lesson lesson = Tried(technique, 1.0);
  lesson.verdict = Verdict::kWrongOutput;
  lesson.effect.reset();
  return lesson;
}

TEST(PriorTest, WithoutLessonsNothingIsChanged) {
  EXPECT_EQ(Prior().FactorOf("jam(j, 32)"), 1.0);
}

// e^1 and failure: the mean of all is (1 - 0.5) / 2 = 0.25.  Of jam's name that
// is (1 + 2 * 0.25) / 3 = 0.5, of its kind (1 + 2 * 0.5) / 3 = 0.667; of tile's
// (-0.5 + 0.5) / 3 = 0 and (-0.5 + 0) / 3 = -0.167.
TEST(PriorTest, WhatGainedComesEarlierAndWhatFailedLater) {
  const Prior prior(
      std::vector{Tried("jam(j, 32)", std::exp(1.0)), Failed("tile(i, 8)")});
  EXPECT_NEAR(prior.FactorOf("jam(x, 33)"), std::exp(2.0 / 3 - 0.25), 1e-9);
  EXPECT_NEAR(prior.FactorOf("jam(x, 4)"), std::exp(0.5 - 0.25), 1e-9);
  EXPECT_NEAR(prior.FactorOf("tile(j, 8)"), std::exp(-1.0 / 6 - 0.25), 1e-9);
  EXPECT_EQ(prior.FactorOf("unroll(k, 4)"), 1.0);
}

// 0.9 to 1.1 tells nothing, however it came out: as a worth of 0.
TEST(PriorTest, NoiseIsNoGain) {
  Lesson noise = Tried("jam(j, 32)", 1.08);
  noise.effect->interval = Interval{0.98, 1.2};
  const Prior prior(std::vector{noise, Failed("tile(i, 8)")});
  EXPECT_GT(prior.FactorOf("jam(j, 32)"), 1.0);  // -0.25 is the mean.
  EXPECT_NEAR(prior.FactorOf("jam(j, 32)"), std::exp(0.25 - 1.0 / 9), 1e-9);
}

TEST(PriorTest, NearerLessonsWeighMore) {
  const Prior prior(std::vector{Tried("jam(j, 32)", 2.0, 0.9),
                                Tried("jam(j, 32)", 0.5, 0.1),
                                Tried("tile(i)", 1.0, 1.0)});
  EXPECT_GT(prior.FactorOf("jam(j, 32)"), 1.0);
}

// e^2 by two steps is e^1 of each.
TEST(PriorTest, AChainIsSharedByItsStepsUnlessItBeganAnew) {
  const Prior prior(std::vector{Tried("jam(j, 32) + parallel(i)", std::exp(2)),
                                Failed("tile(i)"),
                                Tried("again + restrict() + tile(i)", 9.0)});
  EXPECT_GT(prior.FactorOf("parallel(i)"), 1.0);
  EXPECT_EQ(prior.FactorOf("parallel(i)"), prior.FactorOf("parallel(j)"));
  EXPECT_LT(prior.FactorOf("tile(i)"), 1.0);
  EXPECT_EQ(prior.FactorOf("restrict()"), 1.0);
}

}  // namespace
}  // namespace coppice::agents::catalogue
