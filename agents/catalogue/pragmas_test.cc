#include "agents/catalogue/pragmas.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

const Setting kTwoThreads{2, {}, {}};

std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

constexpr std::string_view kScale =
    "  for (int64_t i = 0; i < M; ++i) {\n"
    "    for (int64_t j = 0; j < N; ++j) {\n"
    "      c[i * N + j] = 2.0f * a[i * N + j];\n"
    "    }\n"
    "  }\n";

constexpr std::string_view kRunningSum =
    "  for (int64_t j = 1; j < N; ++j) {\n"
    "    c[j] = c[j - 1] + a[j];\n"
    "  }\n";

TEST(PragmasTest, ReductionsBecomeClauses) {
  const std::string sum =
      "  float s = 0.0f;\n"
      "  for (int64_t k = 0; k < K; ++k) {\n    s += a[k];\n  }\n"
      "  c[0] = s;\n";
  EXPECT_NE(Rewrite(sum, "simd(k)").find("#pragma omp simd reduction(+:s)\n"),
            std::string::npos);
  EXPECT_NE(Rewrite(sum, "parallel(k)", kTwoThreads)
                .find("#pragma omp parallel for reduction(+:s)\n"),
            std::string::npos);
}

TEST(PragmasTest, OnlyTheBoldOverlookDependences) {
  EXPECT_EQ(Rewrite(kRunningSum, "simd(j)"),
            "refused: simd(j): iterations may touch the same elements of "
            "`c`");
  EXPECT_EQ(FirstLine(Rewrite(kRunningSum, "simd(j, bold)")),
            "#pragma omp simd");
  EXPECT_EQ(FirstLine(Rewrite(kRunningSum, "parallel(j, bold)", kTwoThreads)),
            "#pragma omp parallel for");
}

TEST(PragmasTest, OneThreadNeedsNoTeam) {
  EXPECT_EQ(Rewrite(kScale, "parallel(i)"),
            "refused: parallel(i): there is only one thread");
}

TEST(PragmasTest, CollapsesPerfectNests) {
  EXPECT_EQ(FirstLine(Rewrite(kScale, "parallel(i, collapse)", kTwoThreads)),
            "#pragma omp parallel for collapse(2)");
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < i; ++j) {\n"
                    "      c[i * N + j] = 0.0f;\n    }\n  }\n",
                    "parallel(i, collapse)", kTwoThreads),
            "refused: parallel(i, collapse): no loop lies alone within it");
}

TEST(PragmasTest, CollapsedLoopsStayTogether) {
  EXPECT_EQ(Rewrite(kScale, "parallel(i, collapse) + jam(j, 4)", kTwoThreads),
            "refused: it parts loops that are collapsed into one");
}

TEST(PragmasTest, ALoopHasOneTeam) {
  EXPECT_EQ(Rewrite(kScale, "parallel(i) + parallel(j)", kTwoThreads)
                .find("refused: parallel(j): "),
            std::string::npos);
  EXPECT_EQ(Rewrite(kScale, "parallel(j) + parallel(i)", kTwoThreads),
            "refused: parallel(i): the loop runs on threads already");
}

TEST(PragmasTest, ThreadsAndVectorsShareAPragma) {
  const std::string flat =
      "  for (int64_t j = 0; j < N; ++j) {\n    c[j] = a[j];\n  }\n";
  for (const char* label : {"simd(j) + parallel(j)", "parallel(j) + simd(j)"}) {
    EXPECT_EQ(FirstLine(Rewrite(flat, label, kTwoThreads)),
              "#pragma omp parallel for simd")
        << label;
  }
}

// Iterations of both loops go to threads: those of the inner one that lean on
// each other must not.
TEST(PragmasTest, OnlyNestsOfIndependentLoopsCollapse) {
  const auto why_not = [](const std::string& body,
                          const std::string& columns = "0; j < N; ++j") {
    return WhyNot(
        "  for (int64_t i = 0; i < M; ++i) {\n"
        "    for (int64_t j = " +
            columns + ") {\n      " + body + "\n    }\n  }\n",
        "parallel(i, collapse)", kTwoThreads);
  };
  EXPECT_EQ(why_not("c[i * N + j] = a[j * M + i];"), "applies");
  EXPECT_EQ(why_not("c[i] += a[i * N + j];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("c[i * N + j] += c[i * N + j - 1];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("c[i * N + j] = 1;", "0; j < N; j += i + 1"),
            "no loop lies alone within it");
}

TEST(PragmasTest, ASumOfBothLoopsIsOneReduction) {
  EXPECT_NE(Rewrite("  float s = 0.0f;\n"
                    "  for (int64_t i = 0; i < M; ++i) {\n"
                    "    for (int64_t j = 0; j < N; ++j) {\n"
                    "      s += a[i * N + j];\n    }\n  }\n  c[0] = s;\n",
                    "parallel(i, collapse)", kTwoThreads)
                .find("#pragma omp parallel for collapse(2) reduction(+:s)\n"),
            std::string::npos);
}

TEST(PragmasTest, WhatThreadsMayNotShare) {
  const auto why_not = [](const std::string& body) {
    return WhyNot(
        "  float s = 0.0f;\n"
        "  for (int64_t i = 0; i < M; ++i) {\n    " +
            body + "\n  }\n  c[0] = s;\n",
        "parallel(i)", kTwoThreads);
  };
  EXPECT_EQ(why_not("float* p = c + i % 2;\n    p[0] += a[i];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("float* p = c + i;\n    p[0] += a[i];"), "applies");
  EXPECT_EQ(why_not("float& x = c[i % 2];\n    x += a[i];"),
            "iterations may touch the same elements of `c`");
  EXPECT_EQ(why_not("static float kept[2];\n    kept[0] += a[i];\n"
                    "    c[i] = kept[0];"),
            "iterations may touch the same elements of `kept`");
  EXPECT_EQ(why_not("AddTo(c, i, a[i]);"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(why_not("s = 0.5f * s + a[i];\n    {\n      float s = a[i];\n"
                    "      c[i] = s;\n    }"),
            "`s` carries a value from one iteration to the next");
  EXPECT_EQ(why_not("s += a[i];\n    M -= 1;"),
            "its iterations decide how many there are");
  EXPECT_EQ(why_not("if (a[i] > 0) {\n      break;\n    }\n    c[i] = 1;"),
            "it holds code whose effects are unknown");
  EXPECT_EQ(why_not("if (a[i] > 0) {\n      return;\n    }\n    c[i] = 1;"),
            "it holds code whose effects are unknown");
}

TEST(PragmasTest, VectorsNeedTheInnermostLoop) {
  EXPECT_EQ(WhyNot(kScale, "simd(i)"), "the loop is no innermost one");
  EXPECT_EQ(WhyNot(kScale, "simd(q)"), "there is no such loop here");
  EXPECT_EQ(WhyNot(kScale, "simd(j) + simd(j)"), "the loop has the pragma");
  EXPECT_EQ(WhyNot(kScale, "parallel(q)", kTwoThreads),
            "there is no such loop here");
}

}  // namespace
}  // namespace coppice::agents::catalogue
