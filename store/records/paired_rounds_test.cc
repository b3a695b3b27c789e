#include "store/records/paired_rounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "store/records/random.h"

namespace coppice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Table of Student's distribution: 97.5 % points.
TEST(StudentTest, PointsAreThoseOfTheTables) {
  EXPECT_NEAR(StudentPoint(1), 12.706, 1e-3);
  EXPECT_NEAR(StudentPoint(2), 4.303, 2e-3);
  EXPECT_NEAR(StudentPoint(3), 3.182, 1e-3);
  EXPECT_NEAR(StudentPoint(5), 2.571, 1e-3);
  EXPECT_NEAR(StudentPoint(10), 2.228, 1e-3);
  EXPECT_NEAR(StudentPoint(30), 2.042, 1e-3);
  EXPECT_NEAR(StudentPoint(1e6), 1.960, 1e-3);
}

TEST(StudentTest, LessThanOneDegreeCountsAsOne) {
  EXPECT_EQ(StudentPoint(0.5), StudentPoint(1));
}

TEST(TrimmedMeanTest, TwoValuesDoNotTellHowMuchTheyVary) {
  EXPECT_FALSE(TrimmedMean({1, 2}).has_value());
}

// A fifth of three is none: mean 2, squares 2 over 3 * 2.
TEST(TrimmedMeanTest, FewValuesAllCount) {
  const Estimate estimate = TrimmedMean({1, 2, 3}).value();
  EXPECT_DOUBLE_EQ(estimate.mean, 2.0);
  EXPECT_DOUBLE_EQ(estimate.variance, 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(estimate.freedom, 2.0);
}

// 1 and 100 are cut off: mean 3.  They count as 2 and 4: 2 2 3 4 4 about 3 have
// squares of 4, over 3 * 2.
TEST(TrimmedMeanTest, OneValueFarOffDoesNotDecide) {
  const Estimate estimate = TrimmedMean({1, 100, 2, 4, 3}).value();
  EXPECT_DOUBLE_EQ(estimate.mean, 3.0);
  EXPECT_DOUBLE_EQ(estimate.variance, 4.0 / 6.0);
  EXPECT_DOUBLE_EQ(estimate.freedom, 2.0);
}

// 24 rounds in 8 blocks of 3, of which each is its median: a slow moment that
// lasts three rounds is one value of eight, and cut off.
TEST(TrimmedMeanTest, NeighboursDoNotCountAsIndependent) {
  std::vector<double> rounds(24, 1.0);
  rounds[0] = rounds[1] = rounds[2] = 9.0;
  const Estimate estimate = TrimmedMean(rounds).value();
  EXPECT_DOUBLE_EQ(estimate.mean, 1.0);
  EXPECT_DOUBLE_EQ(estimate.variance, 0.0);
  EXPECT_DOUBLE_EQ(estimate.freedom, 5.0);
}

// Variances 4 and 1 on 2 and 4 degrees: 5, and 25 / (16 / 2 + 1 / 4).
TEST(SumTest, VariancesAddAndFreedomFollows) {
  const Estimate sum = Sum({{1.0, 4.0, 2.0}, {2.0, 1.0, 4.0}});
  EXPECT_DOUBLE_EQ(sum.mean, 3.0);
  EXPECT_DOUBLE_EQ(sum.variance, 5.0);
  EXPECT_DOUBLE_EQ(sum.freedom, 25.0 / 8.25);
  const Estimate average = Average({{1.0, 4.0, 2.0}, {2.0, 1.0, 4.0}});
  EXPECT_DOUBLE_EQ(average.mean, 1.5);
  EXPECT_DOUBLE_EQ(average.variance, 1.25);
  EXPECT_DOUBLE_EQ(average.freedom, 25.0 / 8.25);
}

WorkloadResult Timed(std::vector<double> own, std::vector<double> root) {
  WorkloadResult result;
  result.samples_s = std::move(own);
  result.root_samples_s = std::move(root);
  result.readings.resize(result.samples_s.size());
  return result;
}

// The second half of the rounds is three times as slow, which cancels: each
// round's ratio is 2.
TEST(SpeedupOfTest, WhatSlowsBothDownCancels) {
  const Speedup speedup =
      SpeedupOf({Timed({1, 1, 1, 3, 3, 3}, {2, 2, 2, 6, 6, 6})});
  EXPECT_DOUBLE_EQ(speedup.ratio, 2.0);
  EXPECT_DOUBLE_EQ(speedup.interval->low, 2.0);
}

// ln 2, ln 4, ln 8: mean ln 4, squares 2 (ln 2)^2 over 6; 4.303 times the root.
TEST(SpeedupOfTest, RoundsThatDifferWidenTheInterval) {
  const Speedup speedup = SpeedupOf({Timed({1, 1, 1}, {2, 4, 8})});
  EXPECT_DOUBLE_EQ(speedup.ratio, 4.0);
  EXPECT_NEAR(std::log(speedup.interval->high / 4.0),
              4.303 * std::log(2.0) / std::sqrt(3.0), 1e-2);
}

TEST(SpeedupOfTest, TwoRoundsDoNotTellHowMuchTheyVary) {
  const Speedup speedup = SpeedupOf({Timed({1, 1}, {2, 8})});
  EXPECT_DOUBLE_EQ(speedup.ratio, 4.0);
  EXPECT_FALSE(speedup.interval.has_value());
}

// By medians, 3 over 2.
TEST(SpeedupOfTest, SamplesThatDoNotPairHaveNoInterval) {
  const Speedup speedup = SpeedupOf({Timed({2, 2}, {3, 3, 3})});
  EXPECT_DOUBLE_EQ(speedup.ratio, 1.5);
  EXPECT_FALSE(speedup.interval.has_value());
}

// Rounds without noise, but processes that differ with a variance of 0.01 on 4
// degrees: exp(2.776 * 0.1) = 1.320.  Where two sessions agree, half of that
// variance is halved and half, the root's, is not: exp(2.776 * 0.1 * sqrt(3 /
// 4)) = 1.272.
TEST(SpeedupOfTest, ProcessesThatDifferWidenTheInterval) {
  WorkloadResult result = Timed({1, 1, 1}, {2, 2, 2});
  result.between_processes = {0.01, 4.0};
  EXPECT_NEAR(SpeedupOf({result}).interval->high / 2.0, 1.320, 1e-3);
  WorkloadResult twice = Timed({1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2});
  for (std::size_t i = 3; i < 6; ++i) twice.readings[i].session = 1;
  twice.between_processes = {0.01, 4.0};
  EXPECT_NEAR(SpeedupOf({twice}).interval->high / 2.0, 1.272, 1e-3);
}

// Sessions with the same rounds on each workload, whose ratios are those given.
WorkloadResult Sessions(const std::vector<double>& ratios) {
  WorkloadResult result;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    for (int round = 0; round < 3; ++round) {
      result.samples_s.push_back(1.0);
      result.root_samples_s.push_back(ratios[i]);
      result.readings.emplace_back().session = static_cast<int>(i);
    }
  }
  result.between_processes = {0.0001, 4.0};
  return result;
}

// Each has the half width 2.776 * 0.01 = 0.02776, so they weigh the same: their
// mean is (2 ln 2 + ln 3) / 3 = ln 2.2894.  From it they are 0.1352, 0.2703 and
// 0.1352 off, whose squares sum up to 0.1096.  Birge's ratio is 1.96 times
// sqrt(0.1096 / 2) / 0.02776 = 8.433, and 16.53 * 0.02776 / sqrt(3) = 0.2649.
// The root's process adds 0.02776 * sqrt((1 - 1 / 3) / 2) = 0.0160, in squares.
TEST(SpeedupOfTest, SessionsThatDisagreeWidenTheInterval) {
  const Speedup speedup = SpeedupOf({Sessions({2.0, 3.0, 2.0})});
  EXPECT_NEAR(speedup.ratio, 2.2894, 1e-3);
  EXPECT_NEAR(std::log(speedup.interval->high / speedup.ratio), 0.2654, 1e-4);
  EXPECT_LT(speedup.interval->low, 2.0);
}

// But for the root's process: on two workloads 2.306 * sqrt(0.00005 / 2), on 8
// degrees, of which half is not in what is pooled: 0.00815.
TEST(SpeedupOfTest, SessionsArePooledAsEvaluationsAre) {
  const Speedup each[] = {SpeedupOf({Sessions({2.0}), Sessions({4.0})}),
                          SpeedupOf({Sessions({3.0}), Sessions({3.0})})};
  const Speedup all = SpeedupOf({Sessions({2.0, 3.0}), Sessions({4.0, 3.0})});
  EXPECT_DOUBLE_EQ(all.ratio, Pool(each).ratio);
  EXPECT_NEAR(
      std::log(all.interval->high / all.ratio),
      std::hypot(std::log(Pool(each).interval->high / all.ratio), 0.00815),
      1e-5);
}

// The geometric mean of 2 and 8.
TEST(SpeedupOfTest, WorkloadsOfOtherSessionsHaveNoInterval) {
  const Speedup speedup = SpeedupOf({Sessions({2.0, 2.0}), Sessions({8.0})});
  EXPECT_DOUBLE_EQ(speedup.ratio, 4.0);
  EXPECT_FALSE(speedup.interval.has_value());
}

// Means 4 and 2.  The root's 8 blocks are a value each, all off by 1: variance
// of the mean 8 / (8 * 7), of its logarithm 1 / (7 * 4^2) = 1 / 112, on 7
// degrees of freedom: 2.365 / sqrt(112) = 0.2235.  The candidate's do not vary.
TEST(SpeedupOfMeansTest, ErrorsOfBothMeansAdd) {
  const Speedup speedup =
      SpeedupOfMeans(Timed({2, 2, 2, 2, 2, 2, 2, 2}, {3, 5, 3, 5, 3, 5, 3, 5}));
  EXPECT_DOUBLE_EQ(speedup.ratio, 2.0);
  ASSERT_TRUE(speedup.interval);
  EXPECT_NEAR(speedup.interval->low, 2.0 * std::exp(-0.2235), 1e-3);
  EXPECT_NEAR(speedup.interval->high, 2.0 * std::exp(0.2235), 1e-3);
}

// Their median is 1.
TEST(SpeedupOfMeansTest, OneSlowCallCounts) {
  EXPECT_DOUBLE_EQ(SpeedupOfMeans(Timed({1, 1, 1}, {1, 1, 7})).ratio, 3.0);
}

TEST(SpeedupOfMeansTest, TwoCallsDoNotTellHowMuchTheyVary) {
  const Speedup speedup = SpeedupOfMeans(Timed({2, 2}, {4, 4}));
  EXPECT_EQ(speedup.ratio, 2.0);
  EXPECT_FALSE(speedup.interval);
}

TEST(LogRatiosTest, AreByProcess) {
  WorkloadResult result = Timed({1, 1, 1}, {1, std::exp(1.0), std::exp(2.0)});
  result.readings[2].session = 1;
  const auto runs = LogRatios(result);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_THAT(runs[0], ElementsAre(0.0, 1.0));
  EXPECT_THAT(runs[1], ElementsAre(2.0));
  EXPECT_THAT(ControlLogRatios(result), IsEmpty());
  result.control_samples_s = result.root_samples_s;
  EXPECT_THAT(ControlLogRatios(result).at(0), ElementsAre(0.0, 0.0));
}

// Further points of the table, and between them no point is above the one of
// fewer degrees.
TEST(StudentTest, PointsFallWithTheDegrees) {
  EXPECT_NEAR(StudentPoint(4), 2.776, 1e-3);
  EXPECT_NEAR(StudentPoint(7), 2.365, 1e-3);
  EXPECT_NEAR(StudentPoint(15), 2.131, 1e-3);
  EXPECT_NEAR(StudentPoint(60), 2.000, 1e-3);
  EXPECT_NEAR(StudentPoint(120), 1.980, 1e-3);
  for (double freedom = 2.0; freedom < 200.0; freedom += 0.25) {
    EXPECT_LT(StudentPoint(freedom + 0.25), StudentPoint(freedom) + 1e-3)
        << freedom;
    EXPECT_GT(StudentPoint(freedom), 1.959) << freedom;
  }
}

// What is added to every value is added to the mean; what each is multiplied
// by, to the variance twice.
TEST(TrimmedMeanTest, MovesAndStretchesWithItsValues) {
  RandomStream stream(6, Purpose::kSimulation, 0);
  for (std::size_t count = 3; count < 30; ++count) {
    std::vector<double> values;
    std::vector<double> moved;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(stream.Normal());
      moved.push_back(5.0 - 3.0 * values.back());
    }
    const Estimate estimate = TrimmedMean(values).value();
    const Estimate other = TrimmedMean(moved).value();
    EXPECT_NEAR(other.mean, 5.0 - 3.0 * estimate.mean, 1e-9) << count;
    EXPECT_NEAR(other.variance, 9.0 * estimate.variance, 1e-9) << count;
    EXPECT_EQ(other.freedom, estimate.freedom) << count;
    EXPECT_GE(estimate.mean, *std::ranges::min_element(values));
    EXPECT_LE(estimate.mean, *std::ranges::max_element(values));
  }
}

// A fifth of 8 blocks is 1.6: one goes at either end, and six are kept.
TEST(TrimmedMeanTest, AFifthIsRoundedDown) {
  const auto freedom = [](std::size_t count) {
    return TrimmedMean(std::vector<double>(count, 1.0))->freedom;
  };
  EXPECT_EQ(freedom(3), 2.0);
  EXPECT_EQ(freedom(4), 3.0);
  EXPECT_EQ(freedom(5), 2.0);
  EXPECT_EQ(freedom(7), 4.0);
  EXPECT_EQ(freedom(8), 5.0);
  EXPECT_EQ(freedom(100), 5.0);
}

TEST(SumTest, OfNothingThatVariesAnyFreedomDoes) {
  const Estimate sum = Sum({{1.0, 0.0, 2.0}, {2.0, 0.0, 4.0}});
  EXPECT_EQ(sum.variance, 0.0);
  EXPECT_EQ(HalfWidth(sum), 0.0);
  EXPECT_EQ(Sum({}).mean, 0.0);
  // One that varies has its own.
  EXPECT_DOUBLE_EQ(Sum({{1.0, 0.0, 2.0}, {2.0, 3.0, 4.0}}).freedom, 4.0);
}

}  // namespace
}  // namespace coppice
