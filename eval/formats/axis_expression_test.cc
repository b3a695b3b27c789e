#include "eval/formats/axis_expression.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

const std::map<std::string, std::int64_t> kAxisSizes = {{"heads", 12},
                                                        {"dim_2", 5}};

std::int64_t Value(const std::string& expression) {
  const auto value = SizeOf(expression, kAxisSizes);
  EXPECT_TRUE(value) << value.error().what;
  return value.value_or(-1);
}

std::string Complaint(const std::string& expression) {
  return SizeOf(expression, kAxisSizes).error().what;
}

TEST(AxisExpressionTest, OperatorsBindAsInPython) {
  EXPECT_EQ(Value("heads * dim_2"), 60);
  EXPECT_EQ(Value("heads+dim_2*2 - 1"), 21);
  EXPECT_EQ(Value("(heads + dim_2) * 2"), 34);
  EXPECT_EQ(Value("heads - dim_2 - 1"), 6);  // From the left.
  EXPECT_EQ(Value("2 ** 3 ** 2"), 512);      // From the right.
  EXPECT_EQ(Value("-2 ** 2"), -4);           // The power first.
  EXPECT_EQ(Value("2 ** -(-3)"), 8);
  EXPECT_EQ(Value("heads // dim_2 * dim_2"), 10);
}

// 12 = 2 * 5 + 2, -12 = -3 * 5 + 3, 12 = -3 * -5 - 3.
TEST(AxisExpressionTest, QuotientsAreRoundedDown) {
  EXPECT_EQ(Value("heads // dim_2"), 2);
  EXPECT_EQ(Value("heads % dim_2"), 2);
  EXPECT_EQ(Value("-heads // dim_2"), -3);
  EXPECT_EQ(Value("-heads % dim_2"), 3);
  EXPECT_EQ(Value("heads % -dim_2"), -3);
  EXPECT_EQ(Value("heads / 4"), 3);
}

TEST(AxisExpressionTest, WhatHasNoSizeSaysWhy) {
  EXPECT_EQ(Complaint("heads / dim_2"),
            "its value is no whole number below 2^53");
  EXPECT_EQ(Complaint("2 ** 53"), "its value is no whole number below 2^53");
  EXPECT_EQ(Complaint("heads // (dim_2 - 5)"), "it divides by zero");
  EXPECT_EQ(Complaint("heads * rows"), "no axis is called rows");
  EXPECT_EQ(Complaint("heads *"), "a name or number is missing");
  EXPECT_EQ(Complaint(""), "a name or number is missing");
  EXPECT_EQ(Complaint("(heads"), "a parenthesis is not closed");
  EXPECT_EQ(Complaint("max(heads, 3)"), "no axis is called max");
  EXPECT_EQ(Complaint("heads 2"), "unexpected \"2\"");
  EXPECT_EQ(Complaint(std::string(1000, '(')), "it is nested too deeply");
  EXPECT_EQ(Complaint(std::string(1000, '-')), "it is nested too deeply");
}

// 1e15 is below 2^53, 1e16 is not; 2^1024 is beyond a double.
TEST(AxisExpressionTest, NumbersAreThoseOfADouble) {
  EXPECT_EQ(Value("1e15"), 1'000'000'000'000'000);
  EXPECT_EQ(Value("1.5 * 2"), 3);
  EXPECT_EQ(Value("0 * heads"), 0);
  EXPECT_EQ(Value("heads ** 0"), 1);
  EXPECT_EQ(Value("\theads -\t-dim_2"), 17);
  const std::string none = "its value is no whole number below 2^53";
  for (const char* text : {"1e16", "2 ** 1024", "2 ** 1024 - 2 ** 1024",
                           "(0 - 8) ** 0.5", "9007199254740992", "0.1"}) {
    EXPECT_EQ(Complaint(text), none) << text;
  }
}

TEST(AxisExpressionTest, WhatPythonAloneReadsIsRefused) {
  EXPECT_EQ(Complaint("0x10"), "unexpected \"x10\"");
  EXPECT_EQ(Complaint("1_000"), "unexpected \"_000\"");
  EXPECT_EQ(Complaint("1e999"), "a name or number is missing");
  EXPECT_EQ(Complaint("heads if dim_2 else 1"),
            "unexpected \"if dim_2 else 1\"");
  EXPECT_EQ(Complaint("heads & 1"), "unexpected \"& 1\"");
  EXPECT_EQ(Complaint("heads\n"), "unexpected \"\n\"");
  EXPECT_EQ(Complaint("h\xc3\xa9 + 1"), "no axis is called h");
  EXPECT_EQ(Complaint("\xc3\xa9"), "a name or number is missing");
  EXPECT_EQ(Complaint("heads)"), "unexpected \")\"");
  EXPECT_EQ(Complaint("heads."), "unexpected \".\"");
  EXPECT_EQ(Complaint(".5 * heads"), "a name or number is missing");
}

// 0 times anything may be 0; what divides by an axis may go well.
TEST(AxisExpressionTest, AMistakeIsSeenWithoutSizes) {
  const auto complaint = [](const std::string& expression) -> std::string {
    const auto sound = CheckExpression(
        expression, [](const std::string& name) { return name != "rows"; });
    return sound ? "" : sound.error().what;
  };
  EXPECT_EQ(complaint("heads // (dim_2 - 5) / 3"), "");
  EXPECT_EQ(complaint("heads * rows"), "no axis is called rows");
  EXPECT_EQ(complaint("heads *"), "a name or number is missing");
  EXPECT_EQ(complaint("heads % (3 - 3)"), "it divides by zero");
}

TEST(AxisExpressionTest, NamesAreReplacedWhole) {
  const auto shape = [](const std::string& name) -> Result<std::string> {
    if (name == "rows") return Fail(Errc::kUsage, "which rows");
    return "<" + name + ">";
  };
  EXPECT_EQ(*Substituted("2*dim_2 + dim", shape), "(2*<dim_2> + <dim>)");
  EXPECT_EQ(Substituted("rows", shape).error().what, "which rows");
}

}  // namespace
}  // namespace coppice::eval
