#include "eval/formats/float8.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

TEST(Float8Test, KnowsTheLandmarksOfE4M3FN) {
  EXPECT_EQ(FromFloat8E4M3FN(0x38), 1.0F);
  EXPECT_EQ(FromFloat8E4M3FN(0xb9), -1.125F);
  EXPECT_EQ(FromFloat8E4M3FN(0x7e), 448.0F);   // The largest: 2^8 * 1.75.
  EXPECT_EQ(FromFloat8E4M3FN(0x08), 0x1p-6F);  // The smallest normal one.
  EXPECT_EQ(FromFloat8E4M3FN(0x01), 0x1p-9F);  // The smallest of all.
  EXPECT_EQ(FromFloat8E4M3FN(0x07), 0x7p-9F);
  EXPECT_TRUE(std::isnan(FromFloat8E4M3FN(0x7f)));
  EXPECT_TRUE(std::isnan(FromFloat8E4M3FN(0xff)));
  EXPECT_TRUE(std::signbit(FromFloat8E4M3FN(0x80)));
}

TEST(Float8Test, KnowsTheLandmarksOfE5M2) {
  EXPECT_EQ(FromFloat8E5M2(0x3c), 1.0F);
  EXPECT_EQ(FromFloat8E5M2(0xc1), -2.5F);
  EXPECT_EQ(FromFloat8E5M2(0x7b), 57344.0F);  // The largest: 2^15 * 1.75.
  EXPECT_EQ(FromFloat8E5M2(0x01), 0x1p-16F);  // The smallest of all.
  EXPECT_EQ(FromFloat8E5M2(0x7c), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(FromFloat8E5M2(0x7d)));
}

}  // namespace
}  // namespace coppice::eval
