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

// Iterations 0, 3, 6, ...: the last strip of 4 would begin at N - 12, which
// is none of them.
TEST(JamTest, StepsOtherThanOneAreKept) {
  constexpr std::string_view kThirds =
      "  for (int64_t j = 0; j < N; j += 3) {\n"
      "    c[j] = a[j];\n"
      "  }\n";
  EXPECT_EQ(WhyNot(kThirds, "jam(j, 4, overlap)"),
            "a strip that is shifted back would miss its steps");
  EXPECT_FALSE(CanOverlap(ParseStmts(kThirds)[0]));
  EXPECT_EQ(Rewrite(kThirds, "jam(j, 4, scalar)"),
            "for (int64_t j = 0; j < N / 12 * 12; j += 12) {\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 4; ++j_lane) {\n"
            "    c[j + j_lane * 3] = a[j + j_lane * 3];\n"
            "  }\n"
            "}\n"
            "for (int64_t j = N / 12 * 12; j < N; j += 3) {\n"
            "  c[j] = a[j];\n"
            "}\n");
}

// Lanes that are off would count 0s in a bin that is none.
TEST(JamTest, ALaneThatIsOffCountsNothing) {
  const std::string made = Rewrite(
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    int64_t bins[8];\n"
      "    for (int64_t k = 0; k < 8; ++k) {\n"
      "      bins[k] = 0;\n"
      "    }\n"
      "    for (int64_t k = 0; k < K; ++k) {\n"
      "      bins[static_cast<int64_t>(b[k * N + j]) - 1] += 1;\n"
      "    }\n"
      "    c[j] = bins[0];\n"
      "  }\n",
      "jam(j, 4, masked)");
  EXPECT_NE(made.find("      if (j + j_lane < N) {\n"
                      "        bins[static_cast<int64_t>(b[k * N + (j + "
                      "j_lane)]) - 1][j_lane] += 1;\n"),
            std::string::npos)
      << made;
  // Known places need no test.
  EXPECT_NE(made.find("      bins[k][j_lane] = 0;\n"), std::string::npos)
      << made;
}

TEST(JamTest, ALaneThatIsOffDividesByOne) {
  const std::string made = Rewrite(
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    int64_t d = static_cast<int64_t>(b[j]);\n"
      "    int64_t q = 100 / d;\n"
      "    float r = a[j] / b[j];\n"
      "    q %= d;\n"
      "    c[j] = q + r;\n"
      "  }\n",
      "jam(j, 4, masked)");
  EXPECT_NE(made.find("int64_t q = 100 / (j + j_lane < N ? d : 1);\n"),
            std::string::npos)
      << made;
  EXPECT_NE(made.find("q %= j + j_lane < N ? d : 1;\n"), std::string::npos)
      << made;
  // A float that is divided by 0 does no harm.
  EXPECT_NE(made.find("float r = (j + j_lane < N ? a[j + j_lane] : 0) / (j + "
                      "j_lane < N ? b[j + j_lane] : 0);\n"),
            std::string::npos)
      << made;
}

// `n` differs from lane to lane as soon as one lane takes a step alone.
TEST(JamTest, CountersWithinExpressionsBelongToALane) {
  for (const char* step :
       {"if (b[k * N + j] > 0) {\n        w[n++] = k;\n      }",
        "w[n++] = b[k * N + j];",
        "if (b[k * N + j] > 0) {\n        w[++n] = k;\n      }"}) {
    const std::string made = Rewrite(
        "  for (int64_t j = 0; j < N; ++j) {\n"
        "    float w[64];\n"
        "    int64_t n = 0;\n"
        "    for (int64_t k = 0; k < K; ++k) {\n      " +
            std::string(step) +
            "\n    }\n"
            "    c[j] = w[0] + n;\n"
            "  }\n",
        "jam(j, 4, scalar)");
    EXPECT_NE(made.find("int64_t n[4];"), std::string::npos) << made;
    EXPECT_NE(made.find("c[j + j_lane] = w[0][j_lane] + n[j_lane];"),
              std::string::npos)
        << made;
  }
}

// How often each lane runs the loop follows from its step.
TEST(JamTest, AStepThatVariesIsTheLanesOwn) {
  const std::string made = Rewrite(
      "  for (int64_t j = 0; j < N; ++j) {\n"
      "    int64_t last = 0;\n"
      "    for (int64_t k = 0; k < K; k += j + 1) {\n"
      "      last = k;\n"
      "    }\n"
      "    c[j] = last;\n"
      "  }\n",
      "jam(j, 4, scalar)");
  EXPECT_NE(made.find("int64_t last = 0;\n    for (int64_t k = 0; k < K; k += "
                      "j + j_lane + 1) {\n"),
            std::string::npos)
      << made;
}

TEST(JamTest, EachLaneHasItsPointer) {
  const std::string made = Rewrite(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    const float* row = a + i * K;\n"
      "    float* out = c + i * N;\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      out[j] = row[0] * b[j];\n"
      "    }\n"
      "  }\n",
      "jam(i, 2, masked)");
  EXPECT_NE(made.find("const float* row[2];\n"), std::string::npos) << made;
  EXPECT_NE(made.find("row[i_lane] = a + (i + i_lane) * K;\n"),
            std::string::npos)
      << made;
  // What it points to is not the lane's own.
  EXPECT_NE(made.find("      if (i + i_lane < M) {\n"
                      "        out[i_lane][j] = row[i_lane][0] * b[j];\n"),
            std::string::npos)
      << made;
}

TEST(JamTest, RefusesWhatHasNoLanes) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  for (int64_t j = 0; j < N; ++j) {\n    " + body + "\n  }\n",
        "jam(j, 4)");
  };
  EXPECT_EQ(why_not("float& x = c[j];\n    x = a[j];"),
            "a name in it has no type of its own");
  EXPECT_EQ(why_not("auto x = a[j];\n    c[j] = x;"),
            "a name in it has no type of its own");
  EXPECT_EQ(why_not("std::vector<float> w(K);\n    c[j] = w[0];"),
            "its iterations fill a buffer in turn");
  EXPECT_EQ(why_not("if (a[j] > 0) {\n      break;\n    }\n    c[j] = 1;"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(why_not("if (a[j] > 0) {\n      continue;\n    }\n    c[j] = 1;"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(why_not("AddTo(c, j, a[j]);"),
            "it holds code whose effects are unknown");
  // Both would be handed the lanes of all.
  const std::string handed = "a function may change what it is handed";
  EXPECT_EQ(why_not("float s = 0;\n    Add(s, 2);\n    c[j] = s;"), handed);
  EXPECT_EQ(why_not("float w[4];\n    w[0] = a[j];\n    c[j] = Sum(w, 4);"),
            handed);
  EXPECT_EQ(why_not("c[j / 2] = a[j];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("c[j] = a[j];\n    j += 1;"),
            "its iterations decide how many there are");
}

// A word of a comment or of a string is no name.
TEST(JamTest, CommentsAndStringsStay) {
  EXPECT_EQ(Rewrite("  // sum over j\n"
                    "  for (int64_t j = 0; j < 8; ++j) {\n"
                    "    /* j */ c[j] = a[j];\n"
                    "  }\n",
                    "jam(j, 8)"),
            "// sum over j\n"
            "for (int64_t j = 0; j < 8; j += 8) {\n"
            "  /* j */\n"
            "#pragma omp simd\n"
            "  for (int64_t j_lane = 0; j_lane < 8; ++j_lane) {\n"
            "    c[j + j_lane] = a[j + j_lane];\n"
            "  }\n"
            "}\n");
}

// A name that is taken is not taken twice.
TEST(JamTest, NewNamesAreNew) {
  const std::string made = Rewrite(
      "  int64_t j_lane = M;\n"
      "  for (int64_t j = 0; j < 8; ++j) {\n"
      "    c[j] = a[j] * j_lane;\n"
      "  }\n",
      "jam(j, 8)");
  EXPECT_NE(made.find("c[j + j_lane1] = a[j + j_lane1] * j_lane;"),
            std::string::npos)
      << made;
}

// In int64_t the product would not wrap as it does in 32 bits.
TEST(JamTest, LanesHaveTheTypeOfTheirLoop) {
  const auto made = [](const std::string& type, const std::string& tail) {
    return Rewrite("  for (" + type +
                       " j = 0; j < N; ++j) {\n"
                       "    c[j] = a[j * 2654435761u >> 20];\n  }\n",
                   "jam(j, 8, " + tail + ")");
  };
  for (const std::string type : {"int", "uint32_t", "int64_t"}) {
    EXPECT_NE(made(type, "scalar").find("for (" + type + " j_lane = 0; "),
              std::string::npos)
        << made(type, "scalar");
    EXPECT_NE(made(type, "overlap")
                  .find("const " + type + " j_at = std::min<" + type +
                        ">(j, N - 8);\n"),
              std::string::npos)
        << made(type, "overlap");
  }
}

TEST(JamTest, AStripOfALoopWithoutASignFitsByItsSum) {
  const auto made = [](const std::string& type) {
    return Rewrite(
        "  for (" + type + " j = 3; j < N; ++j) {\n    c[j] = a[j];\n  }\n",
        "jam(j, 8, overlap)");
  };
  EXPECT_TRUE(made("int64_t").starts_with("if (N - 3 >= 8) {\n"));
  EXPECT_TRUE(made("size_t").starts_with("if (N >= 11) {\n"));
}

}  // namespace
}  // namespace coppice::agents::catalogue
