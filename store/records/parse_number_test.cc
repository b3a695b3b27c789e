#include "store/records/parse_number.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

TEST(ParseNumberTest, TheWholeTextIsTheNumber) {
  EXPECT_EQ(ParseNumber<int>("-12"), -12);
  EXPECT_EQ(ParseNumber<double>("1.5e2"), 150.0);
  EXPECT_EQ(ParseNumber<std::uint64_t>("ff", 16), 255u);
  for (const char* text : {"", " 1", "1 ", "1.5", "+1", "0x10"}) {
    EXPECT_EQ(ParseNumber<int>(text), std::nullopt) << text;
  }
}

TEST(ParseNumberTest, WhatDoesNotFitIsNoNumber) {
  EXPECT_EQ(ParseNumber<int>("2147483647"), 2147483647);
  EXPECT_EQ(ParseNumber<int>("2147483648"), std::nullopt);
}

TEST(ParseNumberTest, ANumberIsTakenOffTheFront) {
  std::string_view text = "19_ReLU";
  EXPECT_EQ(TakeNumber<int>(text), 19);
  EXPECT_EQ(text, "_ReLU");
  EXPECT_EQ(TakeNumber<int>(text), std::nullopt);
  EXPECT_EQ(text, "_ReLU");
}

TEST(ParseNumberTest, CountsAreNotNegative) {
  EXPECT_EQ(ParseCount("0"), 0);
  EXPECT_EQ(ParseCount("-1"), std::nullopt);
  EXPECT_EQ(ParseCount("one"), std::nullopt);
}

}  // namespace
}  // namespace coppice
