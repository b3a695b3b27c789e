#include "agents/catalogue/stmt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

using ::testing::ElementsAre;

Stmt One(std::string_view text) { return ParseStmts(text).at(0); }

TEST(StmtTest, ANewNameIsNewWhereverItStands) {
  StmtList list = ParseStmts(
      "float s = 0.0f;\n"
      "#pragma omp parallel for simd reduction(+:s) private(t, s) if (s > 1)\n"
      "for (int64_t s2 = 0; s2 < n; ++s2) {\n"
      "  s += x[s2];\n"
      "}\n");
  Rename(list, "s", "sum");
  EXPECT_EQ(Print(list),
            "float sum = 0.0f;\n"
            "#pragma omp parallel for simd reduction(+:sum) private(t, sum) if "
            "(sum > 1)\n"
            "for (int64_t s2 = 0; s2 < n; ++s2) {\n"
            "  sum += x[s2];\n"
            "}\n");
  // Outside of parentheses a word is OpenMP's.
  Rename(list, "simd", "other");
  EXPECT_TRUE(HasPragma(list[1], "for simd reduction"));
}

TEST(StmtTest, ABreakEndsTheLoopAroundIt) {
  for (const char* text :
       {"break;", "if (x) { break; }", "{ if (x) { y = 1; } else { break; } }",
        "goto out;", "while (x) { goto out; }"}) {
    EXPECT_TRUE(MayBreak(ParseStmts(text))) << text;
  }
  for (const char* text :
       {"x = 1;", "for (int64_t i = 0; i < n; ++i) { break; }",
        "while (x) { break; }", "do { break; } while (x);",
        "switch (x) { case 1: break; }", "breaks = 1;"}) {
    EXPECT_FALSE(MayBreak(ParseStmts(text))) << text;
  }
}

TEST(StmtTest, TripsAreCountedIfTheyAreNumbers) {
  struct Case {
    const char* head;
    std::optional<std::int64_t> trips;
  };
  for (const auto& [head, trips] : {
           Case{"i = 0; i < 10; ++i", 10},
           Case{"i = 2; i <= 10; i += 3", 3},  // 2, 5, 8.
           Case{"i = 7; i < 3; ++i", 0},
           Case{"i = 9; i >= 0; --i", 10},
           Case{"i = 0; i < 0x10; i += 010", 2},
           Case{"i = 0; i < n; ++i", std::nullopt},
           Case{"i = 0; i < 10; i += n", std::nullopt},
       }) {
    const std::string loop =
        "for (int64_t " + std::string(head) + ") { f(i); }";
    EXPECT_EQ(ConstantTrips(One(loop)), trips) << head;
  }
  EXPECT_EQ(ConstantTrips(One("x = 1;")), std::nullopt);
}

TEST(StmtTest, AStripIsShortAndHoldsNothingButStrips) {
  const auto strip = [](const std::string& trips, const std::string& body) {
    return "#pragma omp simd\nfor (int64_t l = 0; l < " + trips + "; ++l) { " +
           body + " }";
  };
  const std::string lanes = strip("8", "x[l] = 0;");
  EXPECT_TRUE(IsStrip(One(lanes)));
  EXPECT_TRUE(
      IsStrip(One("for (int64_t r = 0; r < 4; ++r) {\n" + lanes + "\n}")));
  EXPECT_FALSE(IsStrip(One(strip("n", "x[l] = 0;"))));
  EXPECT_FALSE(IsStrip(One("for (int64_t l = 0; l < 8; ++l) { x[l] = 0; }")));
  EXPECT_FALSE(IsStrip(
      One("for (int64_t r = 0; r < 4; ++r) {\n" + lanes + "\ny = 1;\n}")));
}

TEST(StmtTest, LoopsOfOneFormAreKnown) {
  struct Case {
    const char* text;
    bool counts_from_zero, is_plain;
  };
  for (const auto& [text, counts, plain] : {
           Case{"for (int64_t i = 0; i < n; ++i) {}", true, true},
           Case{"for (int64_t i = 0; i < n; i += 2) {}", false, false},
           Case{"for (int64_t i = 1; i < n; ++i) {}", false, true},
           Case{"#pragma omp simd\nfor (int64_t i = 0; i < n; ++i) {}", true,
                false},
       }) {
    // A loop that holds nothing is text.
    std::string loop = text;
    loop.insert(loop.size() - 1, " f(i); ");
    EXPECT_EQ(CountsFromZero(One(loop)), counts) << text;
    EXPECT_EQ(IsPlain(One(loop)), plain) << text;
  }
}

TEST(StmtTest, OneLoopStandsAloneBesideComments) {
  const std::string loop = "for (int64_t i = 0; i < n; ++i) { f(i); }\n";
  EXPECT_EQ(OnlyLoop(ParseStmts("// Of rows.\n" + loop))->name, "i");
  EXPECT_EQ(OnlyLoop(ParseStmts(loop + loop)), nullptr);
  EXPECT_EQ(OnlyLoop(ParseStmts(loop + "x = 1;")), nullptr);
  EXPECT_EQ(OnlyLoop({}), nullptr);
}

TEST(StmtTest, TypesOfWholeNumbersAreKnown) {
  for (const char* type :
       {"int", "int64_t", "const uint8_t*", "std::size_t", "unsigned long long",
        "char", "short", "std::vector<int32_t>", "ptrdiff_t"}) {
    EXPECT_TRUE(IsWholeType(type)) << type;
  }
  for (const char* type : {"float", "const double*", "auto", "bool", "__half",
                           "std::vector<float>"}) {
    EXPECT_FALSE(IsWholeType(type)) << type;
  }
}

TEST(StmtTest, AVectorTellsItsElementAndItsSize) {
  const Stmt made = One("std::vector<float> x(n, 1.0f);");
  ASSERT_NE(VectorArguments(made), nullptr);
  EXPECT_EQ(VectorArguments(made)->size(), 2U);
  EXPECT_EQ(VectorElement(made), "float");
  for (const char* other :
       {"std::vector<float> x;", "std::vector<float> x = y;", "float x[8];",
        "float* x = y;", "std::array<float, 4> x(y);"}) {
    EXPECT_EQ(VectorArguments(One(other)), nullptr) << other;
  }
}

TEST(StmtTest, NamesAreDeclaredAtAnyDepth) {
  const StmtList list = ParseStmts(
      "int a = 0, b[2];\n"
      "if (a) { float c = 1; } else { for (int i = 0; i < a; ++i) { e = 1; } "
      "}\n");
  EXPECT_THAT(DeclaredNames(list), ElementsAre("a", "b", "c", "i"));
  EXPECT_EQ(DeclaredType(list, "c"), "float");
  EXPECT_EQ(DeclaredType(list, "e"), "");
  EXPECT_EQ(Aliases(ParseStmts("float& p = y[0]; const float* q = y;"
                               "float x = *y; auto z = y; auto w = y[0];")),
            (std::set<std::string>{"p", "q"}));
  // One is subscripted, and the other begins it.
  EXPECT_EQ(Aliases(ParseStmts("auto p = y; auto q = p + i; q[0] = 1;")),
            (std::set<std::string>{"p", "q"}));
}

TEST(StmtTest, OwnExpressionsAreThoseOfNoOtherStatement) {
  const auto own = [](const char* text) {
    std::vector<std::string> printed;
    VisitOwnExprs(One(text),
                  [&](const Expr& e) { printed.push_back(Print(e)); });
    return printed;
  };
  EXPECT_THAT(own("for (int64_t i = a; i < b; i += c) { x = y; }"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(own("if (a < b) { x = y; } else { z = 1; }"),
              ElementsAre("a < b"));
  EXPECT_THAT(own("float x[n][m] = {};"), ElementsAre("n", "m", "{}"));
  EXPECT_THAT(own("x = y;"), ElementsAre("x = y"));
  EXPECT_THAT(own("{ x = y; }"), ElementsAre());
}

TEST(StmtTest, NamesInRawTextAreMentioned) {
  const StmtList list = ParseStmts(
      "while (k < n) { s += a[k]; ++k; --n; t = u == v; w[k] = x <= y; }"
      "z = 1;");
  ASSERT_EQ(list[0].kind, StmtKind::kRaw);
  for (const char* name : {"k", "n", "s", "a", "t", "u", "v", "w", "x", "z"}) {
    EXPECT_TRUE(Mentions(list, name)) << name;
  }
  EXPECT_FALSE(Mentions(list, "b"));
  EXPECT_FALSE(NamesInRaw(list).contains("z"));
  EXPECT_EQ(AssignedInRaw(list), (std::set<std::string>{"k", "n", "s", "t"}));
}

TEST(StmtTest, WhatIsComputedFromNumbersWithoutASignMayWrap) {
  for (const char* text : {"n - 2", "v.size() - 1", "(size_t)m", "7u + m",
                           "static_cast<uint64_t>(m)", "sizeof(m)"}) {
    EXPECT_TRUE(MayWrap(ParseExpr(text), {"n"})) << text;
  }
  for (const char* text : {"m - 2", "(int)m", "0x1F", "static_cast<int>(m)"}) {
    EXPECT_FALSE(MayWrap(ParseExpr(text), {"n"})) << text;
  }
}

}  // namespace
}  // namespace coppice::agents::catalogue
