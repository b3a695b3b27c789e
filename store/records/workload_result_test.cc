#include "store/records/workload_result.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice {
namespace {

TEST(WorkloadResultTest, MedianOfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(Median({3.0, 1.0, 2.0}), 2.0);
  EXPECT_DOUBLE_EQ(Median({4.0, 1.0, 2.0, 3.0}), 2.5);
}

// Places 0.25 * 4 = 1 and 3; of four samples 0.75 and 2.25.
TEST(WorkloadResultTest, QuartilesLieBetweenSamples) {
  const Quartiles five = QuartilesOf({5.0, 1.0, 4.0, 2.0, 3.0});
  EXPECT_EQ(five.lower, 2.0);
  EXPECT_EQ(five.median, 3.0);
  EXPECT_EQ(five.upper, 4.0);
  const Quartiles four = QuartilesOf({1.0, 2.0, 3.0, 4.0});
  EXPECT_EQ(four.lower, 1.75);
  EXPECT_EQ(four.median, 2.5);
  EXPECT_EQ(four.upper, 3.25);
  EXPECT_EQ(QuartilesOf({7.0}).upper, 7.0);
}

// numpy.quantile(samples, (0.25, 0.5, 0.75)), by hand: place q (n - 1).
TEST(WorkloadResultTest, QuartilesAreThoseOfNumpy) {
  const struct {
    std::vector<double> samples;
    double lower, median, upper;
  } cases[] = {
      {{1.0, 2.0}, 1.25, 1.5, 1.75},
      {{4.0, 1.0, 2.0}, 1.5, 2.0, 3.0},                    // 0.5, 1 and 1.5.
      {{8.0, 4.0, 2.0, 1.0, 16.0, 32.0}, 2.5, 6.0, 14.0},  // 1.25, 2.5, 3.75.
      {{3.0, 3.0, 3.0}, 3.0, 3.0, 3.0},
      {{-1.0, 1.0}, -0.5, 0.0, 0.5},
  };
  for (const auto& [samples, lower, median, upper] : cases) {
    const Quartiles quartiles = QuartilesOf(samples);
    EXPECT_DOUBLE_EQ(quartiles.lower, lower) << samples.size();
    EXPECT_DOUBLE_EQ(quartiles.median, median) << samples.size();
    EXPECT_DOUBLE_EQ(quartiles.upper, upper) << samples.size();
    EXPECT_DOUBLE_EQ(Median(samples), median) << samples.size();
  }
}

// One far off moves the mean, and leaves the median where it is.
TEST(WorkloadResultTest, OnlyTheMeanGoesByHowFarOffAValueIs) {
  for (const double far : {5.0, 50.0, 5000.0}) {
    EXPECT_DOUBLE_EQ(Median({1.0, far, 3.0}), 3.0);
    EXPECT_DOUBLE_EQ(Mean({1.0, far, 3.0}), (4.0 + far) / 3.0);
    EXPECT_DOUBLE_EQ(QuartilesOf({1.0, far, 3.0}).lower, 2.0);
  }
}

}  // namespace
}  // namespace coppice
