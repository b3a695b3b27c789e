#include "eval/formats/half.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

TEST(HalfTest, KnowsTheLandmarksOfFloat16) {
  EXPECT_EQ(FromFloat16(0x3c00), 1.0f);
  EXPECT_EQ(FromFloat16(0xc000), -2.0f);
  EXPECT_EQ(FromFloat16(0x7bff), 65504.0f);
  EXPECT_EQ(FromFloat16(0x0400), 0x1p-14f);  // The smallest normal one.
  EXPECT_EQ(FromFloat16(0x0001), 0x1p-24f);  // The smallest of all.
  EXPECT_EQ(FromFloat16(0x7c00), kInfinite);
  EXPECT_TRUE(std::signbit(FromFloat16(0x8000)));
  EXPECT_TRUE(std::isnan(FromFloat16(0x7e01)));
}

TEST(HalfTest, EveryNumberComesBack) {
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    if (!std::isnan(FromFloat16(bits))) {
      ASSERT_EQ(ToFloat16(FromFloat16(bits)), bits);
    }
    if (!std::isnan(FromBFloat16(bits))) {
      ASSERT_EQ(ToBFloat16(FromBFloat16(bits)), bits);
    }
  }
  EXPECT_TRUE(std::isnan(FromFloat16(ToFloat16(std::nanf("")))));
  EXPECT_TRUE(std::isnan(FromBFloat16(ToBFloat16(std::nanf("")))));
}

// The spacing above 1 is 2^-10 and 2^-7.  Half of it is a tie.
TEST(HalfTest, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(FromFloat16(ToFloat16(1.0f + 0x1p-11f)), 1.0f);
  EXPECT_EQ(FromFloat16(ToFloat16(1.0f + 0x1p-11f + 0x1p-20f)),
            1.0f + 0x1p-10f);
  EXPECT_EQ(FromFloat16(ToFloat16(1.0f + 0x3p-11f)), 1.0f + 0x2p-10f);
  EXPECT_EQ(FromBFloat16(ToBFloat16(1.0f + 0x1p-8f)), 1.0f);
  EXPECT_EQ(FromBFloat16(ToBFloat16(1.0f + 0x3p-8f)), 1.0f + 0x2p-7f);
}

TEST(HalfTest, RoundsSubnormalsAndUnderflows) {
  EXPECT_EQ(ToFloat16(0x1p-25f), 0);  // A tie: to even.
  EXPECT_EQ(ToFloat16(0x1p-25f + 0x1p-40f), 1);
  EXPECT_EQ(ToFloat16(0x3p-25f), 2);  // A tie: to even.
  EXPECT_EQ(ToFloat16(-0x1p-40f), 0x8000);
  // These go up to the smallest normal one.
  EXPECT_EQ(ToFloat16(0x1p-14f - 0x1p-26f), 0x0400);
}

TEST(HalfTest, OverflowsToInfinity) {
  EXPECT_EQ(ToFloat16(65519.9f), 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0f), 0x7c00);
  EXPECT_EQ(ToFloat16(-kInfinite), 0xfc00);
  EXPECT_EQ(ToBFloat16(3.4e38f), 0x7f80);
}

}  // namespace
}  // namespace coppice::eval
