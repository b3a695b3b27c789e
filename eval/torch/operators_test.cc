#include "eval/torch/operators.h"

#include <gtest/gtest.h>

namespace coppice::eval::torch {
namespace {

TEST(OperatorsTest, HaveNamesCallsAndSeconds) {
  const auto operators =
      ParseOperators(R"([["aten::mul", 2, 1.5e-5], ["aten::sum", 1, 3]])");
  ASSERT_EQ(operators.size(), 2u);
  EXPECT_EQ(operators[0].name, "aten::mul");
  EXPECT_EQ(operators[0].calls, 2);
  EXPECT_EQ(operators[0].total_s, 1.5e-5);
  EXPECT_EQ(operators[1].total_s, 3.0);
}

TEST(OperatorsTest, WhatIsNoneIsLeftOut) {
  EXPECT_TRUE(ParseOperators("").empty());
  EXPECT_TRUE(ParseOperators("{\"a\": 1}").empty());
  const auto operators = ParseOperators(
      R"([1, [], ["a", 1], ["a", -1, 0], ["a", 1.5, 0], ["a", 1, -1],
          ["a", 1, 1e999], ["a", 1, "1"], [1, 1, 1], ["real", 1, 0]])");
  // 1e999 is no number of JSON's parser: all of it is void.
  EXPECT_TRUE(operators.empty());
  EXPECT_EQ(ParseOperators(R"([1, ["a", -1, 0], ["real", 1, 0]])").size(), 1u);
}

// 2^63 - 1, and one more.
TEST(OperatorsTest, NoNumberOfCallsIsNegative) {
  const auto operators = ParseOperators(
      R"([["a", 9223372036854775807, 0], ["b", 9223372036854775808, 0]])");
  ASSERT_EQ(operators.size(), 1u);
  EXPECT_EQ(operators[0].calls, 9223372036854775807);
}

// Its 199 letters and the two bytes behind them are 201.
TEST(OperatorsTest, ANameIsNotCutWithinACharacter) {
  const std::string letters(199, 'x');
  const auto one = ParseOperators("[[\"" + letters + "\xc3\xa9\", 1, 0]]");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, letters);
}

TEST(OperatorsTest, AreNotMoreThanAreRead) {
  std::string text = "[";
  for (int i = 0; i < 150; ++i) text += R"(["x", 1, 0],)";
  text.back() = ']';
  EXPECT_EQ(ParseOperators(text).size(), 100u);
  const auto one = ParseOperators("[[\"" + std::string(500, 'x') + "\",1,0]]");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name, std::string(200, 'x'));
}

}  // namespace
}  // namespace coppice::eval::torch
