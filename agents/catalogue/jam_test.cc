#include "agents/catalogue/jam.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kProduct =
    "  for (int64_t j = 0; j < N; ++j) {\n"
    "    float sum = 0.0f;\n"
    "    for (int64_t k = 0; k < K; ++k) {\n"
    "      sum += a[k] * b[k * N + j];\n"
    "    }\n"
    "    c[j] = sum;\n"
    "  }\n";

TEST(JamTest, GivesEachLaneItsAccumulator) {
  EXPECT_EQ(Rewrite(kProduct, "jam(j, 8, scalar)"),
            "for (int64_t j = 0; j < N / 8 * 8; j += 8) {\n"
            "  float sum[8];\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 8; ++j_lane) {\n"
            "    sum[j_lane] = 0.0f;\n"
            "  }\n"
            "  for (int64_t k = 0; k < K; ++k) {\n"
            "#pragma omp simd\n"
            "    for (int64_t j_lane = 0; j_lane < 8; ++j_lane) {\n"
            "      sum[j_lane] += a[k] * b[k * N + (j + j_lane)];\n"
            "    }\n"
            "  }\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 8; ++j_lane) {\n"
            "    c[j + j_lane] = sum[j_lane];\n"
            "  }\n"
            "}\n"
            "for (int64_t j = N / 8 * 8; j < N; ++j) {\n"
            "  float sum = 0.0f;\n"
            "  for (int64_t k = 0; k < K; ++k) {\n"
            "    sum += a[k] * b[k * N + j];\n"
            "  }\n"
            "  c[j] = sum;\n"
            "}\n");
}

TEST(JamTest, MasksTheLanesPastTheEnd) {
  // Only what varies with the lane needs the mask: a[j], not a[0].
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j] * a[0];\n"
                    "  }\n",
                    "jam(j, 4, masked)"),
            "for (int64_t j = 0; j < N / 4 * 4; j += 4) {\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 4; ++j_lane) {\n"
            "    c[j + j_lane] = a[j + j_lane] * a[0];\n"
            "  }\n"
            "}\n"
            "for (int64_t j = N / 4 * 4; j < N; j += 4) {\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 4; ++j_lane) {\n"
            "    if (j + j_lane < N) {\n"
            "      c[j + j_lane] = a[j + j_lane] * a[0];\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(JamTest, ShiftsTheLastStripBack) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = a[j];\n"
                    "  }\n",
                    "jam(j, 4, overlap)"),
            "if (N >= 4) {\n"
            "  for (int64_t j = 0; j < N; j += 4) {\n"
            "    const int64_t j_at = std::min<int64_t>(j, N - 4);\n"
            "#pragma omp simd\n"
            "    for (int64_t j_lane = 0; j_lane < 4; ++j_lane) {\n"
            "      c[j_at + j_lane] = a[j_at + j_lane];\n"
            "    }\n"
            "  }\n"
            "} else {\n"
            "  for (int64_t j = 0; j < N; ++j) {\n"
            "    c[j] = a[j];\n"
            "  }\n"
            "}\n");
}

TEST(JamTest, KnownLengthsNeedNoTail) {
  EXPECT_EQ(Rewrite("  constexpr int64_t W = 64;\n"
                    "  for (int64_t j = 0; j < W; ++j) {\n"
                    "    c[j] = a[j];\n"
                    "  }\n",
                    "jam(j, 32)"),
            "constexpr int64_t W = 64;\n"
            "for (int64_t j = 0; j < W; j += 32) {\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 32; ++j_lane) {\n"
            "    c[j + j_lane] = a[j + j_lane];\n"
            "  }\n"
            "}\n");
}

TEST(JamTest, RowsGoAroundTheLanesOfColumns) {
  const std::string text =
      Rewrite(ProductOf(), "jam(j, 32) + jam(i, 4, scalar)");
  EXPECT_NE(text.find("float sum[4][32];"), std::string::npos) << text;
  EXPECT_NE(text.find("for (int64_t k = 0; k < K; ++k) {\n"
                      "      for (int64_t i_lane = 0; i_lane < 4; ++i_lane) {\n"
                      "#pragma omp simd\n"),
            std::string::npos)
      << text;
}

TEST(JamTest, AConditionAllLanesShareStaysOutside) {
  const std::string text = Rewrite(
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    float sum = 0.0f;\n"
      "    for (int64_t k = 0; k < K; ++k) {\n"
      "      if (k < M) {\n"
      "        sum += b[k * N + j];\n"
      "      }\n"
      "    }\n"
      "    c[j] = sum;\n"
      "  }\n",
      "jam(j, 4)");
  EXPECT_NE(text.find("    if (k < M) {\n#pragma omp simd\n"),
            std::string::npos)
      << text;
}

TEST(JamTest, AConditionThatVariesBecomesASelection) {
  const std::string text = Rewrite(
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    float sum = 0.0f;\n"
      "    for (int64_t k = 0; k < K; ++k) {\n"
      "      if (k < j) {\n"
      "        sum += a[k];\n"
      "      }\n"
      "    }\n"
      "    c[j] = sum;\n"
      "  }\n",
      "jam(j, 4)");
  EXPECT_NE(text.find("sum[j_lane] += k < j + j_lane ? a[k] : 0;"),
            std::string::npos)
      << text;
}

TEST(JamTest, RefusesWithAReason) {
  EXPECT_EQ(Rewrite("  float s = 0.0f;\n"
                    "  for (int64_t j = 0; j < N; ++j) {\n    s += a[j];\n"
                    "  }\n  c[0] = s;\n",
                    "jam(j, 8)"),
            "refused: jam(j, 8): the loop folds into `s`");
  EXPECT_EQ(Rewrite("  for (int64_t j = 1; j < N; ++j) {\n"
                    "    c[j] += c[j - 1];\n  }\n",
                    "jam(j, 8)"),
            "refused: jam(j, 8): iterations may touch the same elements of "
            "`c`");
  EXPECT_EQ(Rewrite(kProduct, "jam(q, 8)"),
            "refused: jam(q, 8): there is no such loop here");
  EXPECT_EQ(Rewrite(kProduct, "jam(j, 1)"),
            "refused: jam(j, 1): there is no such loop here");
}

TEST(JamTest, StripsThatReadTheirResultsMayNotBeRedone) {
  EXPECT_EQ(Rewrite("  for (int64_t j = 0; j < N; ++j) {\n"
                    "    c[j] = 2.0f * c[j];\n  }\n",
                    "jam(j, 8, overlap)"),
            "refused: jam(j, 8, overlap): it reads what it writes, so no "
            "strip may be redone");
  EXPECT_FALSE(
      CanOverlap(ParseStmts("for (int64_t j = 0; j < N; ++j) c[j] += 1;")[0]));
}

TEST(JamTest, WhatAStripDeclaresStaysItsOwn) {
  // Twice, with the tail: yet `v` is no array.
  const std::string made = Rewrite(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      float v = a[i] * b[j];\n"
      "      c[i * N + j] = v * v;\n"
      "    }\n"
      "  }\n",
      "jam(j, 16, masked) + jam(i, 2, scalar)");
  EXPECT_EQ(made.find("v[i_lane]"), std::string::npos) << made;
}

}  // namespace
}  // namespace coppice::agents::catalogue
