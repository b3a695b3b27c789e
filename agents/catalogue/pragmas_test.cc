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

}  // namespace
}  // namespace coppice::agents::catalogue
