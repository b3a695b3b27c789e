#include "store/write/usd.h"

#include <gtest/gtest.h>

namespace coppice::store {
namespace {

// 1970-01-01 is day 0; before it days go on downwards.
TEST(UsdTest, ADayBeginsAtMidnight) {
  EXPECT_EQ(DayOf(0.0), 0);
  EXPECT_EQ(DayOf(86399.999), 0);
  EXPECT_EQ(DayOf(86400.0), 1);
  EXPECT_EQ(DayOf(-0.001), -1);
  EXPECT_EQ(DayOf(-86400.0), -1);
  EXPECT_EQ(DayOf(1'700'000'000.0), 19675);  // 2023-11-14.
}

TEST(UsdTest, LessThanACentHasMoreDigits) {
  EXPECT_EQ(Dollars(0.0), "$0.00");
  EXPECT_EQ(Dollars(0.25), "$0.25");
  EXPECT_EQ(Dollars(0.01), "$0.01");
  EXPECT_EQ(Dollars(0.0025), "$0.002500");
  EXPECT_EQ(Dollars(0.0000004), "$0.000000");
  EXPECT_EQ(Dollars(1234.567), "$1234.57");
}

}  // namespace
}  // namespace coppice::store
