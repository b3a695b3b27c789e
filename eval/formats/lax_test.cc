#include "eval/formats/lax.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::eval {
namespace {

TEST(LaxTest, AnIntegerMayBeSpacedSignedPartedAndHaveZerosBehindThePoint) {
  for (const char* three : {"3", " 3 ", "+3", "03", "3.0", "3.000"}) {
    EXPECT_EQ(LaxInteger(three), 3) << three;
  }
  EXPECT_EQ(LaxInteger("1_000"), 1000);
  EXPECT_EQ(LaxInteger("-0"), 0);
  for (const char* bad : {"", " ", "3.", "3.5", "1e3", "0x3", "true", "_1",
                          "1_", "1__0", "+-3", "9223372036854775808"}) {
    EXPECT_EQ(LaxInteger(bad), std::nullopt) << bad;
  }
}

TEST(LaxTest, ANumberMayBeNoNumberOrHaveNoBound) {
  EXPECT_EQ(LaxNumber("0.5"), 0.5);
  EXPECT_EQ(LaxNumber(" +1e3 "), 1000.0);
  EXPECT_EQ(LaxNumber("1_0"), 10.0);
  EXPECT_TRUE(std::isnan(*LaxNumber("NaN")));
  EXPECT_TRUE(std::isnan(*LaxNumber("nan")));
  EXPECT_EQ(LaxNumber("Infinity"), HUGE_VAL);
  EXPECT_EQ(LaxNumber("-inf"), -HUGE_VAL);
  for (const char* bad : {"", "x", "nan(1)", "1 2", "0.5x"}) {
    EXPECT_EQ(LaxNumber(bad), std::nullopt) << bad;
  }
}

TEST(LaxTest, TruthHasSixWordsAndSoHasItsOpposite) {
  for (const char* yes : {"1", "on", "T", "y", "TRUE", "Yes"}) {
    EXPECT_EQ(LaxBool(yes), true) << yes;
  }
  for (const char* no : {"0", "off", "F", "n", "False", "no"}) {
    EXPECT_EQ(LaxBool(no), false) << no;
  }
  for (const char* bad : {"", "2", " true", "yess"}) {
    EXPECT_EQ(LaxBool(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace coppice::eval
