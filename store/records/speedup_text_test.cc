#include "store/records/speedup_text.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

std::string Text(double ratio, double low, double high) {
  return SpeedupText({ratio, Interval{low, high}});
}

// Half of it is 63 tenths or 6.3 ones; 12 tenths; 33 hundredths; 3 hundredths;
// 47 ones or 4.7 tens.
TEST(SpeedupTextTest, DigitsAreNoFinerThanTheIntervalAllows) {
  EXPECT_EQ(Text(53.1, 47.6, 60.2), "53x (48-60)");
  EXPECT_EQ(Text(53.1, 51.9, 54.3), "53.1x (51.9-54.3)");
  EXPECT_EQ(Text(1.09, 0.81, 1.46), "1.09x (0.81-1.46)");
  EXPECT_EQ(Text(0.787, 0.756, 0.818), "0.79x (0.76-0.82)");
  EXPECT_EQ(Text(117.0, 79.0, 173.0), "120x (80-170)");
}

// Within half a per cent nothing is claimed: 0.0065 is 6.5 thousandths.
TEST(SpeedupTextTest, ANarrowIntervalBringsNoMoreDigitsThanAreClaimed) {
  EXPECT_EQ(Text(1.31041, 1.31031, 1.31051), "1.310x (1.310-1.311)");
}

// Each number of a wide interval keeps its first digit.
TEST(SpeedupTextTest, NoEndIsRoundedToNothing) {
  EXPECT_EQ(Text(1.0, 0.04, 25.0), "1x (0.04-25)");
  EXPECT_EQ(Text(0.05, 0.04, 0.06), "0.050x (0.040-0.060)");
}

TEST(SpeedupTextTest, WhatIsKnownExactlyHasNoInterval) {
  EXPECT_EQ(Text(1.0, 1.0, 1.0), "1x");
  EXPECT_EQ(Text(1.318, 1.318, 1.318), "1.318x");
}

TEST(SpeedupTextTest, TooFewRoundsHaveNoInterval) {
  EXPECT_EQ(SpeedupText({1.31, std::nullopt}), "1.3x (?)");
  EXPECT_EQ(SpeedupText({1.31, std::nullopt}, kInterval),
            "1.3x (too few rounds)");
}

TEST(SpeedupTextTest, SentencesSayWhatTheIntervalIs) {
  EXPECT_EQ(SpeedupText({1.31, Interval{1.28, 1.34}}, kInterval),
            "1.31x (95 % interval 1.28-1.34)");
}

}  // namespace
}  // namespace coppice
