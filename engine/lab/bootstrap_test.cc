#include "engine/lab/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::lab {
namespace {

IntervalEstimate Of(const Strata& strata, std::uint64_t seed = 1) {
  RandomStream stream(seed, Purpose::kStatistics, 0);
  return BootstrapInterquartileMean(strata, stream);
}

double WidthOf(const Strata& strata) {
  const IntervalEstimate of = Of(strata);
  if (!of.interval) return -1.0;
  return of.interval->high - of.interval->low;
}

TEST(BootstrapTest, ValueIsTheAverageItself) {
  EXPECT_DOUBLE_EQ(Of({{0, 1, 2}, {3, 10}}).value, 2.0);  // (1 + 2 + 3) / 3
}

// Nothing is trimmed of three values. {0, 1, 2} is widened to 1 -+ sqrt(1.5):
// the least 1 of 27 resamples, 3.7 %, is all of the lowest value, so that the
// quantile is there: 1.2247 from the middle, and 4.303 / 1.960 times that with
// 2 degrees of freedom.
TEST(BootstrapTest, IntervalOfThreeValuesIsStudents) {
  EXPECT_NEAR(WidthOf({{0, 1, 2}}), 2.0 * 1.2247 * 4.303 / 1.960, 0.01);
}

// Its middle half stays where it is, however much is widened.
TEST(BootstrapTest, AnIntervalIsAroundItsValue) {
  const IntervalEstimate of = Of({{0, 0, 0, 0, 0, 0, 0, 9}});
  EXPECT_EQ(of.value, 0.0);
  ASSERT_TRUE(of.interval);
  EXPECT_NEAR(of.interval->low, 0.0, 1e-12);
}

// Within a task all scores are equal, however far tasks are apart.
TEST(BootstrapTest, TasksAreNotMixed) {
  EXPECT_EQ(Of({{1, 1, 1}, {5, 5, 5}}).interval, (Interval{3.0, 3.0}));
}

// 0, 1, ..., 399: the middle half is 200 values about 199.5.  A trimmed mean's
// standard error is that of winsorised values (Tukey and McLaughlin 1963): with
// 100 values of each end put to 100 and 299 their variance is
// (2 * 100 * 99.5^2 + 200 * (200^2 - 1) / 12) / 399 = 6633, and the error
// sqrt(6633 / 400) / 0.5 = 8.14; Student's point of 399 is 1.966.
TEST(BootstrapTest, IntervalOfManyIsThatOfWinsorisedValues) {
  Strata strata(1);
  for (int i = 0; i < 400; ++i) strata[0].push_back(i);
  EXPECT_NEAR(WidthOf(strata), 2.0 * 1.966 * 8.14, 1.0);
}

TEST(BootstrapTest, OneValueOfATaskHasNoInterval) {
  EXPECT_FALSE(Of({{1, 2}, {3}}).interval);
  EXPECT_FALSE(Of({{3}}).interval);
  EXPECT_FALSE(Of({}).interval);
  EXPECT_EQ(Of({}).value, 0.0);
}

TEST(BootstrapTest, EqualStreamsGiveEqualIntervals) {
  const Strata strata = {{0.1, 0.9, 0.4}, {0.3, 0.2}};
  EXPECT_EQ(Of(strata, 3).interval, Of(strata, 3).interval);
}

// Tasks have no order, nor have the seeds of one.
TEST(BootstrapTest, ItsValueHangsOnNoOrder) {
  EXPECT_EQ(Of({{2, 0, 1}, {10, 3}}).value, Of({{3, 10}, {0, 1, 2}}).value);
}

// However many are trimmed, the interval is around the value and is no wider
// than what was seen, but for Student's factor.
TEST(BootstrapTest, EveryNumberOfValuesHasAnIntervalAroundItsValue) {
  for (std::size_t n = 2; n <= 40; ++n) {
    Strata strata(1);
    for (std::size_t i = 0; i < n; ++i) {
      strata[0].push_back(static_cast<double>(i * i));
    }
    const IntervalEstimate of = Of(strata);
    ASSERT_TRUE(of.interval) << n;
    EXPECT_LT(of.interval->low, of.value) << n;
    EXPECT_GT(of.interval->high, of.value) << n;
    EXPECT_TRUE(std::isfinite(of.interval->low + of.interval->high)) << n;
  }
}

}  // namespace
}  // namespace coppice::lab
