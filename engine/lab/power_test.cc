#include "engine/lab/power.h"

#include <gtest/gtest.h>

namespace coppice::lab {
namespace {

TEST(PowerTest, PairsAsDerivedByHand) {
  // (2.8 * 0.5 / 0.1)^2 = 14^2 = 196; in floating point a little more.
  EXPECT_NEAR(static_cast<double>(*PairsForPower(0.1, 0.5)), 196, 1);
  EXPECT_EQ(PairsForPower(-1.0, 1.0), 8);  // 7.84
}

TEST(PowerTest, ADifferenceThatNeverVariesTakesNoMorePairs) {
  EXPECT_EQ(PairsForPower(0.1, 0.0), 0);
}

TEST(PowerTest, NoNumberShowsADifferenceOfZero) {
  EXPECT_FALSE(PairsForPower(0.0, 1.0));
}

TEST(PowerTest, ATinyDifferenceTakesVeryMany) {
  EXPECT_EQ(PairsForPower(1e-300, 1.0), 1'000'000'000'000'000);
}

TEST(PowerTest, LeastPairsByHand) {
  EXPECT_EQ(LeastPairs(1), 6);  // 2^-5 = 0.031; 2^-4 = 0.0625.
  EXPECT_EQ(LeastPairs(2), 7);  // 2^-6 * 2 = 0.031.
  EXPECT_EQ(LeastPairs(3), 7);  // 2^-6 * 3 = 0.047.
  EXPECT_EQ(LeastPairs(4), 8);
}

}  // namespace
}  // namespace coppice::lab
