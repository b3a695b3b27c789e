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
  EXPECT_EQ(IntegerValue(ParseExpr("-12")), -12);
  EXPECT_EQ(IntegerValue(ParseExpr("8L")), 8);
  EXPECT_EQ(IntegerValue(ParseExpr("8.0f")), std::nullopt);
  EXPECT_EQ(IntegerValue(ParseExpr("n")), std::nullopt);
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
