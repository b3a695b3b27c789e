#include "engine/lab/bootstrap.h"

#include <gtest/gtest.h>

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

// A resample of {0, 1} has mean 0, 1/2 or 1 with odds 1/4, 1/2, 1/4: both
// quantiles are at the ends.
TEST(BootstrapTest, IntervalOfTwoValuesReachesBoth) {
  const Estimates of = Of({{0, 1}});
  EXPECT_EQ(of.mean.interval, (Interval{0.0, 1.0}));
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

TEST(BootstrapTest, EqualStreamsGiveEqualIntervals) {
  const Strata strata = {{0.1, 0.9, 0.4}, {0.3, 0.2}};
  EXPECT_EQ(Of(strata, 3).mean.interval, Of(strata, 3).mean.interval);
  EXPECT_EQ(Of(strata, 3).interquartile_mean.interval,
            Of(strata, 3).interquartile_mean.interval);
}

}  // namespace
}  // namespace coppice::lab
