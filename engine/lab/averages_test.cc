#include "engine/lab/averages.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace coppice::lab {
namespace {

TEST(AveragesTest, InterquartileMeanLeavesOutAQuarterAtEachEnd) {
  // Two of 8 go at each end: (3 + 4 + 5 + 6) / 4.
  EXPECT_DOUBLE_EQ(InterquartileMean({100, 4, 3, 6, 5, -100, 1, 90}), 4.5);
}

TEST(AveragesTest, InterquartileMeanRoundsTheQuarterDown) {
  // floor(5 / 4) = 1: (2 + 3 + 7) / 3.
  EXPECT_DOUBLE_EQ(InterquartileMean({1, 2, 3, 7, 50}), 4.0);
  // floor(3 / 4) = 0: the mean.
  EXPECT_DOUBLE_EQ(InterquartileMean({0, 0, 6}), 2.0);
  EXPECT_DOUBLE_EQ(InterquartileMean({6}), 6.0);
}

TEST(AveragesTest, TheAverageOfNoValuesIsZero) {
  EXPECT_EQ(Mean({}), 0.0);
  EXPECT_EQ(InterquartileMean({}), 0.0);
}

TEST(AveragesTest, DeviationIsOfASample) {
  // Mean 4; squares 9 + 1 + 1 + 9 = 20; sqrt(20 / 3).
  const std::vector<double> values = {1, 3, 5, 7};
  EXPECT_DOUBLE_EQ(StandardDeviation(values), std::sqrt(20.0 / 3.0));
  EXPECT_EQ(StandardDeviation(std::vector<double>{2.0}), 0.0);
}

// A quarter of 1,001 rounded down is 250: what is left is 250, ..., 750.
TEST(AveragesTest, AnOutlierOfAnySizeIsOutOfTheMiddleHalf) {
  std::vector<double> values(1001);
  std::iota(values.begin(), values.end(), 0.0);
  EXPECT_DOUBLE_EQ(InterquartileMean(values), 500.0);
  for (std::size_t i = 0; i < 250; ++i) {
    values[i] = -1e300;
    values[1000 - i] = std::numeric_limits<double>::infinity();
  }
  EXPECT_DOUBLE_EQ(InterquartileMean(values), 500.0);
}

TEST(AveragesTest, NothingHangsOnTheOrderOfValues) {
  EXPECT_DOUBLE_EQ(InterquartileMean({7, 1, 50, 3, 2}), 4.0);
  const std::vector<double> down = {7, 5, 3, 1};
  EXPECT_DOUBLE_EQ(StandardDeviation(down), std::sqrt(20.0 / 3.0));
}

// By the sum of squares less the square of the sum it would be 0, or no number.
TEST(AveragesTest, ASmallSpreadOfLargeValuesIsSeen) {
  const std::vector<double> values = {1e9 + 1, 1e9 + 3, 1e9 + 5, 1e9 + 7};
  EXPECT_DOUBLE_EQ(StandardDeviation(values), std::sqrt(20.0 / 3.0));
}

}  // namespace
}  // namespace coppice::lab
