#include "agents/catalogue/strip.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

TEST(StripTest, CutsFromWhereTheLoopStarts) {
  const Stmt loop = ParseStmts("for (int64_t i = 1; i < N; ++i) { f(i); }")[0];
  const Strips strips = CutIntoStrips(loop, 8, {});
  EXPECT_EQ(Print(strips.main_bound), "1 + (N - 1) / 8 * 8");
  EXPECT_FALSE(strips.exact);
  EXPECT_TRUE(CutIntoStrips(loop, 8, {{"N", 17}}).exact);
}

TEST(StripTest, MaskedLanesNeitherLoadNorStore) {
  const Mask mask{ParseExpr("j < N"), {"t"}, {"j"}};
  const auto list =
      Masked(ParseStmts("float x = a[j] + a[0]; t[j] = x; c[j] = x;"
                        "if (x > 0) { c[j] = 0; }"),
             mask);
  ASSERT_TRUE(list);
  EXPECT_EQ(Print(*list),
            "float x = (j < N ? a[j] : 0) + a[0];\n"
            "t[j] = x;\n"
            "if (j < N) {\n"
            "  c[j] = x;\n"
            "}\n"
            "if (j < N && x > 0) {\n"
            "  c[j] = 0;\n"
            "}\n");
}

TEST(StripTest, SomeStatementsCannotBeMasked) {
  const Mask mask{ParseExpr("j < N"), {}, {"j"}};
  EXPECT_FALSE(Masked(ParseStmts("f(a[j]);"), mask));
  EXPECT_FALSE(Masked(ParseStmts("while (x) { }"), mask));
  EXPECT_FALSE(Masked(
      ParseStmts("for (int64_t k = 0; k < j; ++k) { c[k] = 0; }"), mask));
}

TEST(StripTest, MaximaGoByValue) {
  StmtList list = ParseStmts("x = std::max(a, b) + std::min<int64_t>(i, j);");
  EXPECT_EQ(MaximaByValue(list).size(), 1U);
  EXPECT_EQ(Print(list), "x = LaneMax(a, b) + std::min<int64_t>(i, j);\n");
}

TEST(StripTest, TailsHaveNames) {
  EXPECT_EQ(ParseTail(""), Tail::kMasked);
  EXPECT_EQ(ParseTail("overlap"), Tail::kOverlap);
  EXPECT_EQ(ParseTail("sloppy"), std::nullopt);
}

// 0 to 12 by 3 are 5 iterations: one strip of 4, which is 12 wide, and one.
TEST(StripTest, StripsAreAsWideAsTheirSteps) {
  const Stmt loop =
      ParseStmts("for (int64_t i = 0; i < 13; i += 3) { f(i); }")[0];
  const Strips strips = CutIntoStrips(loop, 4, {});
  EXPECT_EQ(Print(strips.step), "12");
  EXPECT_EQ(ValueOf(strips.main_bound, {}), 12);
  EXPECT_FALSE(strips.exact);
  EXPECT_EQ(Print(*ScalarTail(loop, strips).init), "13 / 12 * 12");
}

// N - 3 wraps if N is less, and so would the strips.
TEST(StripTest, LoopsWithoutASignAreCutWithoutDifferencesBelow0) {
  const auto cut = [](const std::string& type, const std::string& init) {
    const Stmt loop = ParseStmts("for (" + type + " i = " + init +
                                 "; i < N; ++i) { f(i); }")[0];
    return Print(CutIntoStrips(loop, 8, {}).main_bound);
  };
  EXPECT_EQ(cut("int64_t", "3"), "3 + (N - 3) / 8 * 8");
  EXPECT_EQ(cut("size_t", "0"), "N / 8 * 8");
  EXPECT_EQ(cut("size_t", "3"), "3 < N ? 3 + (N - 3) / 8 * 8 : 3");
  EXPECT_EQ(cut("uint32_t", "m"), "m < N ? m + (N - m) / 8 * 8 : m");
}

TEST(StripTest, NothingIsExactWhoseLengthIsUnknown) {
  const auto exact = [](const char* head, const Constants& known) {
    return CutIntoStrips(
               ParseStmts("for (int64_t i" + std::string(head) + ") { f(i); }")
                   .front(),
               4, known)
        .exact;
  };
  EXPECT_TRUE(exact(" = 0; i < N; ++i", {{"N", 8}}));
  EXPECT_FALSE(exact(" = 0; i < N; ++i", {{"N", 9}}));
  EXPECT_FALSE(exact(" = 0; i < N; ++i", {}));
  EXPECT_FALSE(exact(" = m; i < N; ++i", {{"N", 8}}));
  EXPECT_TRUE(exact(" = 0; i <= N; ++i", {{"N", 7}}));
  EXPECT_FALSE(exact(" = 0; i < N; i += 2", {{"N", 12}}));
  EXPECT_TRUE(exact(" = 0; i < N; i += 2", {{"N", 16}}));
}

TEST(StripTest, WhatIsMadeOfLoadsIsMaskedToo) {
  const Mask mask{ParseExpr("j < N"), {"t", "u"}, {"j", "x", "u"}, {"x", "v"}};
  const auto masked = [&](const char* text) {
    const auto list = Masked(ParseStmts(text), mask);
    return list ? Print(*list) : "none\n";
  };
  // By a name that was loaded; by a load; by a loop that all share.
  EXPECT_EQ(masked("t[x] = 1;"), "if (j < N) {\n  t[x] = 1;\n}\n");
  EXPECT_EQ(masked("t[v[j]] += 1;"), "if (j < N) {\n  t[v[j]] += 1;\n}\n");
  EXPECT_EQ(masked("t[k] = 1;"), "t[k] = 1;\n");
  EXPECT_EQ(masked("s = t[x];"), "s = j < N ? t[x] : 0;\n");
  EXPECT_EQ(masked("s = t[k];"), "s = t[k];\n");
  // Whole numbers alone: 1 and 0 are no divisors alike.
  EXPECT_EQ(masked("s = k / x;"), "s = k / (j < N ? x : 1);\n");
  EXPECT_EQ(masked("s = k % v[j];"), "s = k % (j < N ? v[j] : 1);\n");
  EXPECT_EQ(masked("s = k / u;"), "s = k / u;\n");
  EXPECT_EQ(masked("s = k / 3;"), "s = k / 3;\n");
  EXPECT_EQ(masked("s /= x;"), "s /= j < N ? x : 1;\n");
  EXPECT_EQ(masked("s = k / static_cast<float>(x);"),
            "s = k / static_cast<float>(x);\n");
  EXPECT_EQ(masked("{ s = 1; }"), "none\n");
  EXPECT_EQ(masked("if (x > 0) { s = 1; } else { s = 2; }"), "none\n");
}

// -1 stands behind every number without a sign.
TEST(StripTest, AnEndWithoutASignIsComparedBeforeItIsSubtracted) {
  Stmt loop = ParseStmts("for (int64_t i = 3; i < n; ++i) { f(i); }")[0];
  EXPECT_EQ(Print(CutIntoStrips(loop, 8, {}).main_bound),
            "3 + (n - 3) / 8 * 8");
  loop.unsigned_end = true;
  const Strips strips = CutIntoStrips(loop, 8, {});
  EXPECT_EQ(Print(strips.main_bound), "3 < n ? 3 + (n - 3) / 8 * 8 : 3");
  EXPECT_EQ(Print(OverlappingStrips(loop, strips, {}, "at").expr), "n >= 11");
  EXPECT_FALSE(IsPlain(loop));
}

}  // namespace
}  // namespace coppice::agents::catalogue
