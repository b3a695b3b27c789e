#include "engine/assistant/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace coppice::assistant {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> Values(std::string_view text) {
  std::vector<double> values;
  for (const Number& number : FindNumbers(text)) values.push_back(number.value);
  return values;
}

// Whether the first number of the text is known.
bool IsKnown(const KnownNumbers& known, std::string_view text) {
  return known.Has(FindNumbers(text).at(0));
}

TEST(NumbersTest, NumbersOfProseAreFound) {
  EXPECT_THAT(Values("Node 14 is 7.9x, [7.7, 8.1], of 1,000,001 nodes (3 %)."),
              ElementsAre(14, 7.9, 7.7, 8.1, 1000001, 3));
  EXPECT_THAT(Values("1.5e-3 s, 2E6, 3.\n4"), ElementsAre(1.5e-3, 2e6, 3, 4));
  EXPECT_THAT(Values("200 us in 12ms"), ElementsAre(200, 12));
  EXPECT_THAT(Values("4,5"), ElementsAre(4, 5));
}

// Groups are of three digits, and an exponent has some.
TEST(NumbersTest, ANumberEndsWhereItsDigitsDo) {
  EXPECT_THAT(Values("12,345,678.25"), ElementsAre(12345678.25));
  EXPECT_THAT(Values("1,0000 and 1,00"), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(Values("2e-3, 2e+3 and 2E3."), ElementsAre(2e-3, 2e3, 2e3));
  EXPECT_THAT(Values("7. 8"), ElementsAre(8));
  EXPECT_THAT(Values("10-12 (3)"), ElementsAre(10, 12, 3));
  // More than a double holds.
  EXPECT_THAT(Values("1e999 5"), ElementsAre(5));
}

TEST(NumbersTest, AUnitIsAWordOfItsOwn) {
  struct Case {
    const char* text;
    double scale;
  };
  for (const auto& [text, scale] :
       {Case{"5 ms", 1e3}, Case{"5ms,", 1e3}, Case{"5 \xC2\xB5s", 1e6},
        Case{"5 %", 100}, Case{"5x", 1}, Case{"5\xC3\x97", 1},
        Case{"5 G", 1e-9}, Case{"5 msec", 1}, Case{"5 nodes", 1},
        Case{"5  ms", 1}, Case{"5th", 1}}) {
    const auto found = FindNumbers(text);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].scale, scale) << text;
    EXPECT_EQ(found[0].end, 1u) << text;
  }
  EXPECT_THAT(Values("5msec 5thx 5_ 5\xC3\xA4"), IsEmpty());
}

TEST(NumbersTest, DigitsOfWordsAndListsAreNone) {
  EXPECT_THAT(Values("conv2d_3x3 in gemv.stark.s1 by float4 and v1.2.3"),
              IsEmpty());
  EXPECT_THAT(Values("1. First\n 2) Second"), IsEmpty());
}

TEST(NumbersTest, WhatIsSkippedIsNoNumber) {
  //                        0123456789
  const std::string text = "[[n:14]] 3";
  const auto found = FindNumbers(text, {{0, 8}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].begin, 9u);
}

TEST(NumbersTest, ARoundedNumberIsKnownAndAWrongOneIsNot) {
  KnownNumbers known;
  known.Add(53.1916377163921);
  EXPECT_TRUE(IsKnown(known, "53.1916377163921"));
  EXPECT_TRUE(IsKnown(known, "53.2x"));
  EXPECT_TRUE(IsKnown(known, "53 times"));
  EXPECT_FALSE(IsKnown(known, "53.1x"));  // It rounds to 53.2.
  EXPECT_FALSE(IsKnown(known, "54"));
  EXPECT_FALSE(IsKnown(known, "5.3"));
}

TEST(NumbersTest, UnitsScaleWhatIsStoredInSeconds) {
  KnownNumbers known;
  known.Add(0.000193435337266498);
  known.Add(0.25);
  EXPECT_TRUE(IsKnown(known, "193 us"));
  EXPECT_TRUE(IsKnown(known, "0.193 ms"));
  EXPECT_TRUE(IsKnown(known, "193435 ns"));
  EXPECT_FALSE(IsKnown(known, "194 us"));
  EXPECT_FALSE(IsKnown(known, "193"));  // Nothing has it.
  EXPECT_TRUE(IsKnown(known, "25 %"));
  EXPECT_TRUE(IsKnown(known, "25%"));
  EXPECT_FALSE(IsKnown(known, "25 nodes"));
}

// 8.25 is both 8.2 and 8.3, and 12345 is 1.2e4.
TEST(NumbersTest, AHalfIsRoundedEitherWay) {
  KnownNumbers known;
  known.Add(8.25);
  known.Add(-12345);
  EXPECT_TRUE(IsKnown(known, "8.2"));
  EXPECT_TRUE(IsKnown(known, "8.3"));
  EXPECT_FALSE(IsKnown(known, "8.1"));
  EXPECT_TRUE(IsKnown(known, "12345"));
  EXPECT_TRUE(IsKnown(known, "1.2e4"));
  EXPECT_TRUE(IsKnown(known, "12.3 k"));
  EXPECT_FALSE(IsKnown(known, "12.2 k"));
  EXPECT_FALSE(IsKnown(known, "12,000"));  // Whole numbers are not rounded.
}

TEST(NumbersTest, NumbersInTextsAreKnown) {
  KnownNumbers known;
  known.AddAllIn("jam(j, 48, overlap); tile8 -1.5");
  EXPECT_TRUE(IsKnown(known, "48"));
  EXPECT_TRUE(IsKnown(known, "8"));
  EXPECT_TRUE(IsKnown(known, "-1.5"));
  EXPECT_FALSE(IsKnown(known, "4"));
}

}  // namespace
}  // namespace coppice::assistant
