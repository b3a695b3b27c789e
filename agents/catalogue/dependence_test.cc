#include "agents/catalogue/dependence.h"

#include <gtest/gtest.h>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

Independence Tested(std::string_view text) {
  const StmtList list = ParseStmts(text);
  return TestIndependence(list.back(), DefinitionsIn(list));
}

TEST(DependenceTest, RowsOfAMatrixAreIndependent) {
  EXPECT_TRUE(Tested("for (int64_t i = 0; i < M; ++i) {"
                     "  for (int64_t j = 0; j < N; ++j) {"
                     "    c[i * N + j] = c[i * N + j - 1] + a[j * M + i];"
                     "  }"
                     "}")
                  .Fully());
}

TEST(DependenceTest, SoAreTheColumnsOfATranspose) {
  EXPECT_TRUE(Tested("for (int64_t i = 0; i < M; ++i) {"
                     "  for (int64_t j = 0; j < N; ++j) {"
                     "    y[j * M + i] = x[i * N + j];"
                     "  }"
                     "}")
                  .Fully());
}

TEST(DependenceTest, ANeighbourIsADependence) {
  const auto test = Tested("for (int64_t j = 1; j < N; ++j) y[j] += y[j - 1];");
  EXPECT_FALSE(test.holds);
  EXPECT_EQ(test.why_not, "iterations may touch the same elements of `y`");
}

// Row k of the triangle's product is some times n elements from row i, and j
// stays below n.
TEST(DependenceTest, WholeRowsApartAreIndependent) {
  constexpr const char* kColumns =
      "for (int64_t j = 0; j < %; ++j) {"
      "  for (int64_t k = i + 1; k < m; ++k) {"
      "    b[i * n + j] += a[k * m + i] * b[k * n + j];"
      "  }"
      "}";
  std::string text = kColumns;
  EXPECT_TRUE(Tested(text.replace(text.find('%'), 1, "n")).Fully());
  text = kColumns;
  EXPECT_FALSE(Tested(text.replace(text.find('%'), 1, "n + 1")).holds);
}

// d may be less than the N that j stays below.
TEST(DependenceTest, ALagIsADependence) {
  EXPECT_FALSE(
      Tested("for (int64_t j = 0; j < N; ++j) y[j + d] += y[j];").holds);
}

TEST(DependenceTest, WhatTheBodyChangesIsNoFixedPlace) {
  constexpr const char* kClamped =
      "for (int64_t i = 0; i < M; ++i) {"
      "  int64_t at = v[i];"
      "  at = at < 0 ? 0 : at;"
      "  %;"
      "}";
  std::string text = kClamped;
  EXPECT_FALSE(Tested(text.replace(text.find('%'), 1, "y[at + i] += 1")).holds);
  text = kClamped;
  EXPECT_TRUE(
      Tested(text.replace(text.find('%'), 1, "y[i * N + at] += 1")).Fully());
}

TEST(DependenceTest, StripsMustNotReachIntoTheNext) {
  constexpr const char* kStrips =
      "for (int64_t j = 0; j < N; j += 32) {"
      "  for (int64_t l = 0; l < %; ++l) { y[j + l] = 0.0f; }"
      "}";
  std::string text = kStrips;
  EXPECT_TRUE(Tested(text.replace(text.find('%'), 1, "32")).Fully());
  text = kStrips;
  EXPECT_FALSE(Tested(text.replace(text.find('%'), 1, "33")).holds);
}

TEST(DependenceTest, LanesOfRowsMustNotReachTheNextStrip) {
  EXPECT_TRUE(Tested("for (int64_t i = 0; i < M; i += 4) {"
                     "  for (int64_t l = 0; l < 4; ++l) {"
                     "    for (int64_t j = 0; j < N; ++j) {"
                     "      c[(i + l) * N + j] = 0.0f;"
                     "    }"
                     "  }"
                     "}")
                  .Fully());
  EXPECT_FALSE(Tested("for (int64_t i = 0; i < M; i += 4) {"
                      "  for (int64_t l = 0; l < 5; ++l) {"
                      "    c[(i + l) * N] = 0.0f;"
                      "  }"
                      "}")
                   .holds);
}

TEST(DependenceTest, FoldsAreReductions) {
  const auto test = Tested(
      "for (int64_t k = 0; k < K; ++k) {"
      "  sum += a[k]; big = std::max(big, a[k]); low = a[k] < low ? a[k] : low;"
      "}");
  ASSERT_TRUE(test.holds);
  EXPECT_FALSE(test.Fully());
  EXPECT_EQ(
      test.reductions,
      (std::vector<Reduction>{{"big", "max"}, {"low", "min"}, {"sum", "+"}}));
}

TEST(DependenceTest, AFoldThatIsReadElsewhereIsCarried) {
  const auto test =
      Tested("for (int64_t j = 0; j < C; ++j) { sum += x[j]; y[j] = sum; }");
  EXPECT_FALSE(test.holds);
  EXPECT_EQ(test.why_not,
            "`sum` carries a value from one iteration to the next");
}

TEST(DependenceTest, ScalarsOfTheBodyArePrivate) {
  EXPECT_TRUE(Tested("for (int64_t i = 0; i < M; ++i) {"
                     "  float sum = 0.0f;"
                     "  for (int64_t k = 0; k < K; ++k) sum += a[i * K + k];"
                     "  y[i] = sum;"
                     "}")
                  .Fully());
}

TEST(DependenceTest, LoadedSubscriptsAreUnknown) {
  EXPECT_FALSE(
      Tested("for (int64_t i = 0; i < N; ++i) counts[v[i] & 255] += 1;").holds);
}

TEST(DependenceTest, UnknownCodeIsNotIndependent) {
  EXPECT_FALSE(Tested("for (int64_t i = 0; i < N; ++i) { *p = i; }").holds);
}

TEST(DependenceTest, NeutralValuesChangeNothing) {
  EXPECT_EQ(Print(NeutralValue("+", "float")), "0.0f");
  EXPECT_EQ(Print(NeutralValue("max", "float")), "-INFINITY");
  EXPECT_EQ(Print(NeutralValue("max", "int32_t")),
            "std::numeric_limits<int32_t>::lowest()");
}

// What a loop over i does to c, and whether its iterations are independent.
struct Iterations {
  const char* body;
  bool independent;
};

void ExpectAll(const std::vector<Iterations>& all) {
  for (const Iterations& one : all) {
    const auto test = Tested("for (int64_t i = 0; i < M; ++i) {" +
                             std::string(one.body) + "}");
    EXPECT_EQ(test.holds, one.independent) << one.body << test.why_not;
  }
}

// Where steps of 4 read 8 elements, the last 4 are the next iteration's.
TEST(DependenceTest, OverlappingWindowsAreDependent) {
  ExpectAll({
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i + p] += 1; }", true},
      {"for (int64_t p = 0; p < 5; ++p) { c[4 * i + p] += 1; }", false},
      // Backwards: from 4 i down to 4 i - 6.
      {"for (int64_t p = 0; p < 7; ++p) { c[4 * i - p] += 1; }", false},
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i - p] += 1; }", true},
      // Up to 4 i + 2 and down to 4 i - 2: five places.
      {"for (int64_t p = 0; p < 3; ++p) {"
       "  for (int64_t q = 0; q < 3; ++q) { c[4 * i + p - q] += 1; } }",
       false},
      // By steps of 2: 4 i, 4 i + 2, 4 i + 4.
      {"for (int64_t p = 0; p < 5; p += 2) { c[4 * i + p] += 1; }", false},
      {"for (int64_t p = 0; p < 4; p += 2) { c[4 * i + p] += 1; }", true},
  });
}

// The loops have one name, and the longer of them reaches too far.
TEST(DependenceTest, TheLongestLoopOfANameCounts) {
  ExpectAll({
      {"for (int64_t p = 0; p < 8; ++p) { c[4 * i + p] += 1; }"
       "for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] += 1; }",
       false},
      {"for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] += 1; }"
       "for (int64_t p = 0; p < 8; ++p) { c[4 * i + p] += 1; }",
       false},
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i + p] += 1; }"
       "for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] += 1; }",
       true},
      {"for (int64_t p = 0; p < n; ++p) { c[4 * i + p] += 1; }"
       "for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] += 1; }",
       false},
  });
}

// 4 i + 4 and 4 i + 5 are written by the iteration behind.
TEST(DependenceTest, ALoopThatBeginsInTheNextBlockIsADependence) {
  ExpectAll({
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i + p] = 0; }"
       "for (int64_t q = 4; q < 6; ++q) { s[i] += c[4 * i + q]; }",
       false},
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i + p] = 0; }"
       "for (int64_t q = 2; q < 4; ++q) { s[i] += c[4 * i + q]; }",
       true},
      {"for (int64_t p = 0; p < 4; ++p) { c[4 * i + p] = 0; }"
       "for (int64_t p = 4; p < 6; ++p) { s[i] += c[4 * i + p]; }",
       false},
      {"for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] = 0; }"
       "for (int64_t p = 2; p < 4; ++p) { c[4 * i + p] = 1; }",
       true},
      {"for (int64_t p = 0; p < 2; ++p) { c[4 * i + p] = 0; }"
       "for (int64_t p = n; p < n + 2; ++p) { c[4 * i + p] = 1; }",
       false},
  });
}

TEST(DependenceTest, RowsByPointerAreRows) {
  ExpectAll({
      {"float* row = c + i * N;"
       "for (int64_t j = 0; j < N; ++j) { row[j] += a[j]; }",
       true},
      {"const float* above = c + (i - 1) * N; float* row = c + i * N;"
       "for (int64_t j = 0; j < N; ++j) { row[j] = above[j]; }",
       false},
      {"float* sums = c; for (int64_t j = 0; j < N; ++j) { sums[j] += a[i]; }",
       false},
      {"float* sums = c + i % 2 * N; sums[0] += a[i];", false},
      {"float& sum = c[i]; sum += a[i];", true},
      {"float& sum = c[i % 3]; sum += a[i];", false},
      {"float own[4]; float* p = own; p[0] = a[i]; c[i] = p[0];", true},
  });
}

TEST(DependenceTest, APlaceThatIsRoundedIsNoPlaceOfItsOwn) {
  ExpectAll({
      {"c[static_cast<int64_t>(i * 0.5f)] += 1;", false},
      {"int64_t slot = static_cast<int64_t>(static_cast<float>(i) * scale);"
       "c[slot] += 1;",
       false},
      {"c[static_cast<uint8_t>(i)] += 1;", false},
      {"c[static_cast<int64_t>(i)] += 1;", true},
      {"c[i / 2] += 1;", false},
      {"c[i % 8] += 1;", false},
      {"c[(i + 1) * (i + 1)] += 1;", false},
      {"c[M - 1 - i] += 1;", true},
  });
}

// What a loop adds to its own counter or end is no sum.
TEST(DependenceTest, IterationsThatDecideHowManyThereAreStayInOrder) {
  ExpectAll({
      {"s += 1; i += 1;", false},
      {"s += 1; M -= 1;", false},
      {"s += 1; if (a[i] > 0) { i += 2; }", false},
      {"for (int64_t j = 0; j < n; ++j) { c[i] = j; } n -= 1;", false},
  });
  EXPECT_EQ(Tested("for (int64_t p = 0; p < left[0]; ++p) {"
                   "  c[p] = 1; left[0] -= 1; }")
                .why_not,
            "its iterations decide how many there are");
  EXPECT_FALSE(
      Tested("for (int64_t p = 0; p < N; p += d) { s += 1; d *= 2; }").holds);
}

// The inner `sum` is another one.
TEST(DependenceTest, ANameWithinANameHidesNothing) {
  ExpectAll({
      {"sum = 0.5f * sum + a[i];"
       "for (int64_t j = 0; j < N; ++j) { float sum = b[j]; c[i * N + j] = "
       "sum; }",
       false},
      {"{ float t[2]; t[0] = a[i]; c[i] = t[0]; } t[0] += 1; t[1] = t[0];",
       false},
      {"float sum = a[i]; if (sum > 0) { sum += 1; } c[i] = sum;", true},
  });
}

TEST(DependenceTest, WhatIsKeptBetweenIterationsIsNotTheirOwn) {
  ExpectAll({
      {"static float kept = 0; kept = kept + a[i] * kept; c[i] = kept;", false},
      {"static float kept[4]; kept[0] = kept[0] * a[i]; c[i] = kept[0];",
       false},
      {"static const float w[2] = {1, 2}; c[i] = w[0] * a[i];", true},
      {"static thread_local std::vector<float> own; float* p = own.data();"
       "p[0] = a[i]; c[i] = p[0];",
       true},
  });
}

TEST(DependenceTest, ACallMayWriteWhatItIsHanded) {
  ExpectAll({
      {"AddTo(c, i, a[i]);", false},
      {"c[i] = std::exp(a[i]);", true},
      {"float w[5]; w[0] = a[i]; std::sort(w, w + 5); c[i] = w[2];", true},
  });
}

TEST(DependenceTest, TwoFoldsOfOneScalarAreNone) {
  ExpectAll({
      {"s += a[i]; s += b[i];", true},
      {"s += a[i]; s *= b[i];", false},
      {"s += a[i]; s = std::max(s, b[i]);", false},
      {"s -= a[i];", true},
      {"s = s - a[i];", false},
      {"s = a[i] - s;", false},
      {"s /= a[i];", false},
      {"s += s * a[i];", false},
      {"s = std::max(a[i], s);", true},
      {"s = s > a[i] ? s : a[i];", true},
      {"s = s > a[i] ? a[i] : s;", true},
      {"s = s > a[i] ? s : b[i];", false},
      {"if (a[i] > s) { s = a[i]; }", false},
      {"if (a[i] > 0) { s += a[i]; }", true},
  });
}

TEST(DependenceTest, TheSmallerOfTwoIsAMinimum) {
  const auto op = [](const char* body) {
    const auto test =
        Tested("for (int64_t i = 0; i < M; ++i) {" + std::string(body) + "}");
    return test.reductions.empty() ? "" : test.reductions[0].op;
  };
  EXPECT_EQ(op("s = s < a[i] ? s : a[i];"), "min");
  EXPECT_EQ(op("s = a[i] < s ? s : a[i];"), "max");
  EXPECT_EQ(op("s = a[i] > s ? s : a[i];"), "min");
  EXPECT_EQ(op("s = fmaxf(s, a[i]);"), "max");
}

// A float's infinity is no number of theirs.
TEST(DependenceTest, WholeNumbersHaveTheirOwnExtremes) {
  for (const char* type : {"long", "unsigned", "size_t", "char", "short",
                           "unsigned char", "int64_t", "uint8_t"}) {
    EXPECT_EQ(Print(NeutralValue("min", type)),
              "std::numeric_limits<" + std::string(type) + ">::max()");
    EXPECT_EQ(Print(NeutralValue("+", type)), "0") << type;
    EXPECT_EQ(Print(NeutralValue("*", type)), "1") << type;
  }
  EXPECT_EQ(Print(NeutralValue("min", "long double")), "INFINITY");
  EXPECT_EQ(Print(NeutralValue("max", "double")), "-INFINITY");
}

TEST(DependenceTest, LoopsChangePlacesWhereEachKeepsItsOrder) {
  const auto why_not = [](const char* body) {
    const StmtList list = ParseStmts(
        "for (int64_t i = 1; i < M; ++i) {"
        "  for (int64_t j = 1; j < N - 1; ++j) {" +
        std::string(body) + "} }");
    return WhyNotExchanged(list[0], list[0].body[0], DefinitionsIn(list));
  };
  EXPECT_EQ(why_not("c[i * N + j] = a[j * M + i];"), "");
  // Down each column, whose order stays.
  EXPECT_EQ(why_not("c[i * N + j] = c[(i - 1) * N + j];"), "");
  EXPECT_EQ(why_not("c[i * N + j] = c[i * N + j - 1];"), "");
  // From above and to the right: (1, 2) must come before (2, 1).
  EXPECT_NE(why_not("c[i * N + j] = c[(i - 1) * N + j + 1];"), "");
  EXPECT_NE(why_not("c[i * N + j] = c[(i - 1) * N + j] + c[i * N + j - 1];"),
            "");
  EXPECT_EQ(why_not("s += a[i * N + j];"), "both loops fold values");
}

TEST(DependenceTest, AnArrayThatAFunctionLooksAtIsNoPlaceOfItsOwn) {
  ExpectAll({
      {"c[i] = At(c, i - 1);", false},
      {"c[i] = At(a, i - 1);", true},
      {"float* row = c + i * N; row[0] = At(row, 2);", false},
      {"float w[4]; w[0] = a[i]; c[i] = At(w, 0);", true},
  });
  EXPECT_EQ(
      Tested("for (int64_t i = 0; i < M; ++i) { c[i] = At(c, 2); }").why_not,
      "a function may look at all of `c`");
}

TEST(DependenceTest, AnOutputNeedsNoTypeToBeShared) {
  ExpectAll({
      {"auto out = c; out[0] += a[i];", false},
      {"auto out = c; for (int64_t j = 0; j < N; ++j) { out[j] += a[i]; }",
       false},
      {"auto out = c + i * N; out[0] += a[i];", true},
  });
}

TEST(DependenceTest, APlaceThatWasNotedIsNotWhereTheNameIsNow) {
  const auto holds = [](const std::string& before) {
    const StmtList list = ParseStmts(
        before + "for (int64_t j = 0; j < N; ++j) { c[n + j] = c[from + j]; }");
    return TestIndependence(list.back(), DefinitionsIn(list)).holds;
  };
  EXPECT_TRUE(holds("int64_t from = n;"));
  EXPECT_FALSE(holds("int64_t from = n; n += 1;"));
  EXPECT_FALSE(holds("int64_t from = n; while (n < M) { ++n; }"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
