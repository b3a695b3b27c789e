#include "store/records/parse_number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace coppice {
namespace {

TEST(ParseNumberTest, TheWholeTextIsTheNumber) {
  EXPECT_EQ(ParseNumber<std::int64_t>("-12"), -12);
  EXPECT_EQ(ParseNumber<double>("2.5"), 2.5);
  EXPECT_EQ(ParseNumber<double>("2.5x"), std::nullopt);
  EXPECT_EQ(ParseNumber<std::int64_t>(" 1"), std::nullopt);
  EXPECT_EQ(ParseNumber<std::int64_t>(""), std::nullopt);
}

TEST(ParseNumberTest, WhatTheTypeCannotHoldIsNone) {
  EXPECT_EQ(ParseNumber<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(ParseNumber<std::uint16_t>("65536"), std::nullopt);
}

}  // namespace
}  // namespace coppice
