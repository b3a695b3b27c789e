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

}  // namespace
}  // namespace coppice::agents::catalogue
