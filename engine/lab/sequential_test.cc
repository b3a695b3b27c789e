#include "engine/lab/sequential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/lab/holm.h"
#include "engine/lab/sign_flip.h"

namespace coppice::lab {
namespace {

using ::testing::ElementsAre;

Comparison Seen(double p_of_b, double p_of_c) {
  Comparison comparison;
  comparison.differences.resize(2);
  comparison.differences[0].policy = "b";
  comparison.differences[0].log_speedup.value = 0.1;
  comparison.differences[0].adjusted_p = p_of_b;
  comparison.differences[1].policy = "c";
  comparison.differences[1].log_speedup.value = -0.1;
  comparison.differences[1].adjusted_p = p_of_c;
  return comparison;
}

TEST(SequentialTest, LooksDoubleUpToTheMost) {
  EXPECT_THAT(Looks(10, 80), ElementsAre(10, 20, 40, 80));
  EXPECT_THAT(Looks(10, 90), ElementsAre(10, 20, 40, 80, 90));
  EXPECT_THAT(Looks(10, 7), ElementsAre(7));
}

TEST(SequentialTest, WhatWasToldStaysTold) {
  Sequential sequential(5);
  EXPECT_DOUBLE_EQ(sequential.level(), 0.01);
  EXPECT_FALSE(sequential.AllTold());
  sequential.Look(Seen(0.02, 0.005), 10);
  EXPECT_FALSE(sequential.AllTold());
  sequential.Look(Seen(0.01, 0.5), 20);
  EXPECT_TRUE(sequential.AllTold());
  EXPECT_EQ(sequential.told().at("c").finding, DifferenceSign::kWorse);
  EXPECT_EQ(sequential.told().at("c").seeds, 10);
  EXPECT_EQ(sequential.told().at("b").finding, DifferenceSign::kBetter);
  EXPECT_EQ(sequential.told().at("b").seeds, 20);
}

// Two policies against a baseline to which both are alike: pairs of exponential
// scores, of which the baseline's are the same for both.
struct Pairs {
  std::vector<double> of_b;
  std::vector<double> of_c;
};

void Add(std::int64_t seeds, RandomStream& draws, Pairs& pairs) {
  const auto score = [&] { return -std::log(draws.Uniform()); };
  while (pairs.of_b.size() < static_cast<std::size_t>(seeds)) {
    const double baseline = score();
    pairs.of_b.push_back(score() - baseline);
    pairs.of_c.push_back(score() - baseline);
  }
}

Comparison Tested(const Pairs& pairs, RandomStream& draws) {
  const std::vector<double> adjusted = HolmAdjusted(
      {SignFlipTest(pairs.of_b, draws), SignFlipTest(pairs.of_c, draws)});
  return Seen(adjusted[0], adjusted[1]);
}

// 200 trials at a share of .05 are off by 0.015.  With 0.05 at each of the four
// looks some 12 % of the trials are fooled.
TEST(SequentialTest, ManyLooksFoolNobodyMoreOftenThanOnceInTwenty) {
  constexpr int kTrials = 200;
  const std::vector<std::int64_t> looks = Looks(8, 64);
  int fooled = 0;
  int fooled_by_each_look = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    RandomStream draws(2, Purpose::kStatistics,
                       static_cast<std::uint64_t>(trial));
    Sequential sequential(looks.size());
    Sequential careless(1);
    Pairs pairs;
    for (const std::int64_t seeds : looks) {
      Add(seeds, draws, pairs);
      const Comparison comparison = Tested(pairs, draws);
      sequential.Look(comparison, seeds);
      careless.Look(comparison, seeds);
    }
    if (!sequential.told().empty()) ++fooled;
    if (!careless.told().empty()) ++fooled_by_each_look;
  }
  EXPECT_LE(fooled, 0.05 * kTrials);
  EXPECT_GE(fooled_by_each_look, 0.08 * kTrials);
}

}  // namespace
}  // namespace coppice::lab
