#include "search/landscapes/quantile.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::search {
namespace {

// The share s of n numbers lies at the place s (n - 1), from 0.
TEST(QuantileTest, LiesBetweenTheNumbersBesideItsPlace) {
  const std::vector<double> numbers = {4.0, 1.0, 3.0, 2.0};
  EXPECT_EQ(Quantile(numbers, 0.0), 1.0);
  EXPECT_EQ(Quantile(numbers, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(Quantile(numbers, 0.5), 2.5);    // Place 1.5.
  EXPECT_DOUBLE_EQ(Quantile(numbers, 0.25), 1.75);  // Place 0.75.
  EXPECT_DOUBLE_EQ(Quantile(numbers, 0.9), 3.7);    // Place 2.7.
}

TEST(QuantileTest, AMeanIsTheSumOverTheCount) {
  EXPECT_DOUBLE_EQ(search::Mean({4.0, 1.0, 4.0}), 3.0);
  EXPECT_DOUBLE_EQ(search::Mean({-2.5}), -2.5);
}

TEST(QuantileTest, OfOneNumberItIsThatNumber) {
  for (const double share : {0.0, 0.3, 1.0}) {
    EXPECT_EQ(Quantile({7.0}, share), 7.0);
  }
}

TEST(QuantileTest, EqualNumbersCountAsOftenAsTheyAreThere) {
  EXPECT_DOUBLE_EQ(Quantile({2.0, 2.0, 2.0, 10.0}, 0.5), 2.0);
  EXPECT_DOUBLE_EQ(Quantile({2.0, 2.0, 2.0, 10.0}, 0.75), 4.0);  // 2.25.
}

}  // namespace
}  // namespace coppice::search
