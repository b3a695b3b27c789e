#include "agents/catalogue/range.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

TEST(RangeTest, FollowsTheLoops) {
  const StmtList list = ParseStmts(
      "for (int64_t i = 0; i < H; ++i) {"
      "  for (int64_t p = 0; p < 3; ++p) { f(i + p - 1); }"
      "}");
  const std::vector<const Stmt*> loops = {&list[0], &list[0].body[0]};
  const auto range = RangeOf(ToPoly(ParseExpr("i + p - 1"), {}), loops, {});
  ASSERT_TRUE(range);
  EXPECT_EQ(Print(ToExpr(range->low)), "-1");
  EXPECT_EQ(Print(ToExpr(range->high)), "H");  // H - 1 + 2 - 1.
  const auto back = RangeOf(ToPoly(ParseExpr("H - i"), {}), loops, {});
  EXPECT_EQ(Print(ToExpr(back->low)), "1");
  EXPECT_EQ(Print(ToExpr(back->high)), "H");
}

TEST(RangeTest, ATriangleReachesItsLongestRow) {
  const StmtList list = ParseStmts(
      "for (int64_t i = 0; i < L; ++i) {"
      "  for (int64_t j = 0; j <= i; ++j) { f(j); }"
      "}");
  const auto range =
      RangeOf(ToPoly(ParseExpr("j"), {}), {&list[0], &list[0].body[0]}, {});
  ASSERT_TRUE(range);
  EXPECT_EQ(Print(ToExpr(range->high)), "L - 1");
}

TEST(RangeTest, WhatIsNotAffineHasNoRange) {
  const StmtList list =
      ParseStmts("for (int64_t i = 0; i < H; ++i) { f(i * i); }");
  EXPECT_FALSE(RangeOf(ToPoly(ParseExpr("i * i"), {}), {&list[0]}, {}));
}

}  // namespace
}  // namespace coppice::agents::catalogue
