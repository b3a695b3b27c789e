#include "agents/catalogue/prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "store/records/lesson.h"

namespace coppice::agents::catalogue {
namespace {

// A lesson of a campaign whose best was e^2 times as fast as its root.
Lesson Tried(const std::string& technique, double log_effect,
             const std::string& program = "", double nearness = 1) {
  Lesson lesson;
  lesson.program = program;
  lesson.technique = technique;
  lesson.verdict = Verdict::kPassed;
  const double ratio = std::exp(log_effect);
  lesson.effect = Speedup{ratio, Interval{ratio * 0.99, ratio * 1.01}};
  lesson.best = std::exp(2.0);
  lesson.nearness = nearness;
  return lesson;
}

Lesson Failed(const std::string& technique) {
  Lesson lesson = Tried(technique, 0.0);
  lesson.verdict = Verdict::kWrongOutput;
  lesson.effect.reset();
  return lesson;
}

TEST(PriorTest, WithoutLessonsNothingIsChanged) {
  EXPECT_EQ(Prior().FactorOf("jam(j, 32)", "pad(x)"), 1.0);
}

// Gains of 1/2, 1/2 and 0: of all (1 + 0.1) / 4 = 0.275, at the root (1 +
// 0.275) / 4 = 0.31875.  Jam has (0.5 + 0.31875) / 2, which is more, tile
// 0.31875 / 2, tile(8) half of that.
TEST(PriorTest, WhatFailedComesLaterAndWhatGainedNoEarlier) {
  const Prior prior(std::vector{Tried("jam(j, 32)", 1.0), Tried("simd(i)", 1.0),
                                Failed("tile(i, 8)")});
  EXPECT_EQ(prior.FactorOf("jam(x, 33)", ""), 1.0);
  EXPECT_EQ(prior.FactorOf("jam(x, 4)", ""), 1.0);
  EXPECT_NEAR(prior.FactorOf("tile(j, 8)", ""), 0.25, 1e-9);
  EXPECT_EQ(prior.FactorOf("unroll(k, 4)", ""), 1.0);
}

// It gained at the root, and never after rowwise.
TEST(PriorTest, WhatGainedOnTheRootMayGainNothingLater) {
  std::vector<Lesson> lessons = {Tried("jam(i, 8)", 1.0),
                                 Tried("parallel(i)", 1.0, "rowwise(i, 32)")};
  for (int i = 0; i < 5; ++i) {
    lessons.push_back(Tried("jam(i, 8)", -0.5, "rowwise(i, 32)"));
  }
  const Prior prior(lessons);
  EXPECT_GE(prior.FactorOf("jam(j, 8)", ""), 1.0);
  EXPECT_LT(prior.FactorOf("jam(j, 8)", "rowwise(i, 64)"), 0.1);
  EXPECT_EQ(prior.FactorOf("parallel(j)", "rowwise(j, 32)"), 1.0);
  // After something else it is nearer to what it came to anywhere.
  EXPECT_LT(prior.FactorOf("jam(j, 8)", "pad(x)"), 0.5);
  EXPECT_GT(prior.FactorOf("jam(j, 8)", "pad(x)"),
            prior.FactorOf("jam(j, 8)", "rowwise(i, 64)"));
}

// 0.9 to 1.1 tells nothing, however it came out.
TEST(PriorTest, NoiseIsNoGain) {
  Lesson noise = Tried("jam(j, 32)", 0.08);
  noise.effect->interval = Interval{0.98, 1.2};
  EXPECT_EQ(
      Prior(std::vector{noise}).FactorOf("jam(j, 32)", ""),
      Prior(std::vector{Failed("jam(j, 32)")}).FactorOf("jam(j, 32)", ""));
}

TEST(PriorTest, NearerLessonsWeighMore) {
  const Prior prior(std::vector{
      Tried("jam(j, 32)", 1.0, "", 0.9), Tried("jam(j, 32)", 0.0, "", 0.1),
      Tried("tile(i, 8)", 1.0, "", 0.1), Tried("tile(i, 8)", 0.0, "", 0.9)});
  EXPECT_EQ(prior.FactorOf("jam(j, 32)", ""), 1.0);
  EXPECT_LT(prior.FactorOf("tile(i, 8)", ""), 1.0);
}

// Nobody knows which of the steps it was.
TEST(PriorTest, ChainsSayNothingOfTheirSteps) {
  const Prior prior(std::vector{Tried("jam(j, 32) + parallel(i)", 2.0),
                                Tried("again + restrict()", 2.0)});
  EXPECT_EQ(prior.FactorOf("parallel(i)", ""), 1.0);
}

}  // namespace
}  // namespace coppice::agents::catalogue
