#include "engine/lab/power.h"

#include <gtest/gtest.h>

#include <limits>

namespace coppice::lab {
namespace {

TEST(PowerTest, PairsAsDerivedByHand) {
  // (2.8016 * 0.5 / 0.1)^2 = 196.2
  EXPECT_EQ(PairsForPower(0.1, 0.5, 1), 197);
  EXPECT_EQ(PairsForPower(-1.0, 1.0, 1), 8);  // 7.85
}

TEST(PowerTest, ADifferenceThatNeverVariesTakesNoMorePairs) {
  EXPECT_EQ(PairsForPower(0.1, 0.0, 1), 0);
}

TEST(PowerTest, NoNumberShowsADifferenceOfZero) {
  EXPECT_FALSE(PairsForPower(0.0, 1.0, 1));
}

// Rounding alone makes such differences: a number would be nonsense.
TEST(PowerTest, NoNumberIsSaidOfATinyDifference) {
  EXPECT_FALSE(PairsForPower(1e-17, 1.0, 1));
  EXPECT_FALSE(PairsForPower(1e-300, 1e300, 1));
  EXPECT_EQ(PairsForPower(1e-3, 1.0, 1), 7'848'880);  // 2.80158522^2 1e6
}

// Tables of the normal distribution: z(0.975), z(0.8), and of 23 questions
// z(1 - 0.05 / 46) = 3.065.
TEST(PowerTest, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(UpperQuantile(0.025), 1.959964, 1e-6);
  EXPECT_NEAR(UpperQuantile(0.2), 0.841621, 1e-6);
  EXPECT_NEAR(UpperQuantile(0.05 / 46.0), 3.065, 1e-3);
  EXPECT_NEAR(UpperQuantile(0.5), 0.0, 1e-9);
}

// ((3.065 + 0.842) / 0.29)^2 = 181.5; asked alone (2.8016 / 0.29)^2 = 93.3.
TEST(PowerTest, OneOfManyQuestionsTakesMorePairs) {
  EXPECT_EQ(PairsForPower(0.29, 1.0, 23), 182);
  EXPECT_EQ(PairsForPower(0.29, 1.0, 1), 94);
}

TEST(PowerTest, TheLeastPairsAreThoseByHand) {
  EXPECT_EQ(LeastPairs(1), 6);  // 2^-5 = 0.031; 2^-4 = 0.0625.
  EXPECT_EQ(LeastPairs(2), 7);  // 2^-6 * 2 = 0.031.
  EXPECT_EQ(LeastPairs(3), 7);  // 2^-6 * 3 = 0.047.
  EXPECT_EQ(LeastPairs(4), 8);
}

// A number would be nonsense of what is none, and of what has no end.
TEST(PowerTest, NoNumberIsSaidOfWhatIsNone) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(PairsForPower(kNan, 1.0, 1));
  EXPECT_FALSE(PairsForPower(0.1, kNan, 1));
  EXPECT_FALSE(PairsForPower(0.1, kInfinity, 1));
  EXPECT_FALSE(PairsForPower(kInfinity, kInfinity, 1));
}

}  // namespace
}  // namespace coppice::lab
