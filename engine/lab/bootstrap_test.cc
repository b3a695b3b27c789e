#include "engine/lab/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::lab {
namespace {

Estimates Of(const Strata& strata, std::uint64_t seed = 1) {
  RandomStream stream(seed, Purpose::kStatistics, 0);
  return Bootstrap(strata, stream);
}

TEST(BootstrapTest, ValueIsTheAverageItself) {
  const Estimates of = Of({{0, 1, 2}, {3, 10}});
  EXPECT_DOUBLE_EQ(of.mean.value, 3.2);
  EXPECT_DOUBLE_EQ(of.interquartile_mean.value, 2.0);  // (1 + 2 + 3) / 3
}

// {0, 1} is widened to 1/2 -+ sqrt(2)/2.  A resample has the one end, the
// middle or the other end as its mean, with odds 1/4, 1/2, 1/4: both quantiles
// are at the ends.
TEST(BootstrapTest, IntervalOfTwoValuesReachesBeyondBoth) {
  const Estimates of = Of({{0, 1}});
  ASSERT_TRUE(of.mean.interval);
  EXPECT_NEAR(of.mean.interval->low, 0.5 - std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(of.mean.interval->high, 0.5 + std::sqrt(0.5), 1e-12);
}

// s^2 = 20.148 / 5 = 4.030 within each of four tasks of 6: the mean of all 24
// has the standard error sqrt(4.030 / 24) = 0.4098.  Resampled as they are, it
// would be sqrt(5 / 6) of that, 9 % less.
TEST(BootstrapTest, IntervalOfFewHasTheVarianceOfASample) {
  const std::vector<double> values = {0, 1, 2.2, 3.7, 4.1, 5.3};
  const Estimates of = Of({values, values, values, values});
  ASSERT_TRUE(of.mean.interval);
  EXPECT_NEAR(of.mean.interval->high - of.mean.interval->low,
              2.0 * 1.96 * 0.4098, 0.05 * 2.0 * 1.96 * 0.4098);
}

// Its middle half stays where it is, however much is widened.
TEST(BootstrapTest, AnIntervalIsAroundItsValue) {
  const Estimates of = Of({{0, 0, 0, 0, 0, 0, 0, 9}});
  EXPECT_EQ(of.interquartile_mean.value, 0.0);
  ASSERT_TRUE(of.interquartile_mean.interval);
  EXPECT_NEAR(of.interquartile_mean.interval->low, 0.0, 1e-12);
}

// Within a task all scores are equal, however far tasks are apart.
TEST(BootstrapTest, TasksAreNotMixed) {
  const Estimates of = Of({{1, 1, 1}, {5, 5, 5}});
  EXPECT_EQ(of.mean.interval, (Interval{3.0, 3.0}));
}

// 100 numbers of each of 0 and 1: the mean's standard error is 0.5 / sqrt(200)
// = 0.0354, and 1.96 of it 0.0693; a resampled quantile moves by 0.005.
TEST(BootstrapTest, IntervalOfManyIsThatOfTheNormalDistribution) {
  Strata strata(1, std::vector<double>(200));
  for (std::size_t i = 0; i < 100; ++i) strata[0][i] = 1.0;
  const Estimates of = Of(strata);
  ASSERT_TRUE(of.mean.interval);
  EXPECT_NEAR(of.mean.interval->low, 0.5 - 0.0693, 0.006);
  EXPECT_NEAR(of.mean.interval->high, 0.5 + 0.0693, 0.006);
}

TEST(BootstrapTest, OneValueOfATaskHasNoInterval) {
  EXPECT_FALSE(Of({{1, 2}, {3}}).mean.interval);
  EXPECT_FALSE(Of({{3}}).interquartile_mean.interval);
  EXPECT_FALSE(Of({}).mean.interval);
  EXPECT_EQ(Of({}).mean.value, 0.0);
}

TEST(BootstrapTest, TheMeanAloneIsTheMean) {
  const Strata strata = {{0.1, 0.9, 0.4}, {0.3, 0.2}};
  RandomStream stream(3, Purpose::kStatistics, 0);
  const Estimate alone = BootstrapMean(strata, stream);
  const Estimate mean = Of(strata, 3).mean;
  EXPECT_DOUBLE_EQ(alone.value, mean.value);
  ASSERT_TRUE(alone.interval);
  EXPECT_NEAR(alone.interval->low, mean.interval->low, 1e-12);
  EXPECT_NEAR(alone.interval->high, mean.interval->high, 1e-12);
  EXPECT_FALSE(BootstrapMean({{1, 2}, {3}}, stream).interval);
}

TEST(BootstrapTest, EqualStreamsGiveEqualIntervals) {
  const Strata strata = {{0.1, 0.9, 0.4}, {0.3, 0.2}};
  EXPECT_EQ(Of(strata, 3).mean.interval, Of(strata, 3).mean.interval);
  EXPECT_EQ(Of(strata, 3).interquartile_mean.interval,
            Of(strata, 3).interquartile_mean.interval);
}

}  // namespace
}  // namespace coppice::lab
