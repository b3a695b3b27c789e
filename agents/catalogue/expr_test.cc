#include "agents/catalogue/expr.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

std::string Printed(std::string_view text) { return Print(ParseExpr(text)); }

TEST(ExprTest, PrintsWithOnlyTheParenthesesNeeded) {
  EXPECT_EQ(Printed("((a + b)) * (c * d)"), "(a + b) * (c * d)");
  EXPECT_EQ(Printed("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(Printed("(a - b) - c"), "a - b - c");
  EXPECT_EQ(Printed("(a < b) ? (c) : d"), "a < b ? c : d");
  EXPECT_EQ(Printed("-(-x)"), "-(-x)");
  EXPECT_EQ(Printed("x[(i * n) + j] = y = 0"), "x[i * n + j] = y = 0");
}

TEST(ExprTest, ReadsCallsCastsAndTemplates) {
  EXPECT_EQ(Printed("std::max<float>(a, static_cast<float>(n))"),
            "std::max<float>(a, static_cast<float>(n))");
  EXPECT_EQ(Printed("(float)n / 2.0f"), "(float)n / 2.0f");
  EXPECT_EQ(Printed("v.data()[i]"), "v.data()[i]");
}

TEST(ExprTest, BuildersFoldLiteralsAndDropNeutralOnes) {
  const Expr n = Name("n");
  EXPECT_EQ(Print(Add(Add(n, Number(3)), Number(4))), "n + 7");
  EXPECT_EQ(Print(Add(Sub(n, Number(3)), Number(3))), "n");
  EXPECT_EQ(Print(Sub(n, n)), "0");
  EXPECT_EQ(Print(Mul(Number(1), n)), "n");
  EXPECT_EQ(Print(Mul(Number(0), n)), "0");
}

TEST(ExprTest, FoldsWhatIsKnown) {
  EXPECT_EQ(Print(Folded(ParseExpr("x[(0 + 1) * n + 2 * 3 - 1]"))), "x[n + 5]");
  EXPECT_EQ(Print(Folded(ParseExpr("2 / 3 + y"))), "2 / 3 + y");
}

TEST(ExprTest, KnowsIntegerLiterals) {
  struct Case {
    const char* text;
    std::optional<std::int64_t> value;
  };
  for (const auto& [text, value] : {
           Case{"-12", -12},
           Case{"8L", 8},
           Case{"0", 0},
           Case{"0u", 0},
           Case{"1'000", 1000},
           // 8 + 0, 3 * 16 + 15 and 4 + 1, in C++ as here.
           Case{"010", 8},
           Case{"-010", -8},
           Case{"0x3F", 63},
           Case{"0X3fUL", 63},
           Case{"0b101", 5},
           // No integers: fractions, names, digits that their base lacks.
           Case{"8.0f", std::nullopt},
           Case{"010.5", std::nullopt},
           Case{"1e3", std::nullopt},
           Case{"09", std::nullopt},
           Case{"0x1p4", std::nullopt},
           Case{"n", std::nullopt},
           // The greatest int, and what is unsigned or long.
           Case{"0x7fffffff", 2147483647},
           Case{"0x80000000", std::nullopt},
           Case{"99999999999999999999", std::nullopt},
       }) {
    EXPECT_EQ(IntegerValue(ParseExpr(text)), value) << text;
  }
}

TEST(ExprTest, NamesFunctionsAlike) {
  EXPECT_EQ(CalledFunction(ParseExpr("std::exp(x)")), "exp");
  EXPECT_EQ(CalledFunction(ParseExpr("expf(x)")), "exp");
  EXPECT_EQ(CalledFunction(ParseExpr("std::fmax(x, y)")), "max");
  EXPECT_EQ(CalledFunction(ParseExpr("x + 1")), "");
}

TEST(ExprTest, SubscriptsAreOutermostFirst) {
  const Expr e = ParseExpr("t[i][j + 1]");
  EXPECT_EQ(ArrayName(e), "t");
  ASSERT_EQ(Subscripts(e).size(), 2U);
  EXPECT_EQ(Print(Subscripts(e)[1]), "j + 1");
}

TEST(ExprTest, SubstitutesWholeNames) {
  EXPECT_EQ(Print(Substituted(ParseExpr("i * in + i"), "i",
                              Add(Name("i"), Number(1)))),
            "(i + 1) * in + (i + 1)");
}

}  // namespace
}  // namespace coppice::agents::catalogue
