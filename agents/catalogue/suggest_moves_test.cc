#include "agents/catalogue/suggest_moves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// Labels, best first.
std::vector<std::string> Ranked(std::string_view statements, int threads = 1) {
  const auto kernel = ParseKernel(KernelOf(statements));
  EXPECT_TRUE(kernel);
  const Setting setting{threads, {{{"M", 200}, {"N", 300}, {"K", 100}}}, ""};
  const Survey survey(*kernel, setting);
  auto moves = SuggestMoves(survey);
  std::stable_sort(
      moves.begin(), moves.end(),
      [](const Move& a, const Move& b) { return a.score > b.score; });
  std::vector<std::string> labels;
  for (const Move& move : moves) {
    EXPECT_FALSE(move.what.empty());
    EXPECT_FALSE(move.why.empty());
    labels.push_back(move.label);
  }
  return labels;
}

bool Has(const std::vector<std::string>& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

TEST(MovesTest, AProductIsJammedAlongItsColumnsFirst) {
  const auto labels = Ranked(ProductOf());
  EXPECT_EQ(labels[0], "jam(j, 32, overlap)");
  EXPECT_TRUE(Has(labels, "register_block(i, 8, 32)"));
}

TEST(MovesTest, AFoldGetsAccumulators) {
  EXPECT_TRUE(Ranked("  float s = 0.0f;\n"
                     "  for (int64_t k = 0; k < K; ++k) {\n    s += a[k];\n"
                     "  }\n  c[0] = s;\n")[0]
                  .starts_with("accumulate(k, "));
}

TEST(MovesTest, ALibraryCallGetsInlineMathematics) {
  EXPECT_EQ(Ranked("  for (int64_t i = 0; i < N; ++i) {\n"
                   "    c[i] = std::tanh(a[i]);\n  }\n")[0],
            "math(tanh)");
}

TEST(MovesTest, ThreadsOnlyWhereThereAreSome) {
  const std::string rows =
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      c[i * N + j] = a[i * N + j];\n    }\n  }\n";
  EXPECT_TRUE(Has(Ranked(rows, 2), "parallel(i)"));
  EXPECT_FALSE(Has(Ranked(rows, 1), "parallel(i)"));
}

TEST(MovesTest, ATransposeIsTiledOrJammed) {
  const auto labels = Ranked(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      c[j * M + i] = a[i * N + j];\n    }\n  }\n");
  EXPECT_EQ(labels[0], "jam(i, 16, masked)");
  EXPECT_TRUE(Has(labels, "tile(i, j, 16, 16)"));
  EXPECT_TRUE(Has(labels, "interchange(i, j)"));
}

TEST(MovesTest, SmallProblemsGoSideBySide) {
  const auto fold = [](const std::string& bound) {
    return "  for (int64_t i = 0; i < M; ++i) {\n"
           "    float s = 0.0f;\n"
           "    for (int64_t j = 0; j < " +
           bound + "; ++j) {\n      s += a[i * " + bound +
           " + j];\n    }\n    c[i] = s;\n  }\n";
  };
  EXPECT_TRUE(Has(Ranked(fold("8")), "lanes(i, 16, staged)"));
  EXPECT_FALSE(Has(Ranked(fold("N")), "lanes(i, 16, staged)"));
}

TEST(MovesTest, AnEmptyKernelHasNone) { EXPECT_TRUE(Ranked("").empty()); }

// Each kernel with a move that it must be offered, and one that it must not.
TEST(MovesTest, EachKindOfLoopGetsItsMoves) {
  struct Case {
    const char *statements, *offered, *withheld;
  };
  for (const auto& [statements, offered, withheld] : {
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[i] = 2.0f * a[i];\n  }\n",
                "simd(i)", "simd(i, bold)"},
           Case{"  for (int64_t i = 1; i < N; ++i) {\n"
                "    c[i] = 0.5f * c[i - 1];\n  }\n",
                "simd(i, bold)", "simd(i)"},
           Case{"  float s = 0.0f;\n  for (int64_t i = 0; i < N; ++i) {\n"
                "    s += a[i];\n    c[i] = s;\n  }\n",
                "scan(i)", "accumulate(i, 16)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[0] += a[i];\n  }\n",
                "promote(i)", "scan(i)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[static_cast<int>(a[i]) & 255] += 1.0f;\n  }\n",
                "privatize(i, 4)", "privatize(i, 4, threads)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    for (int64_t q = 0; q < 4; ++q) {\n"
                "      c[i * 4 + q] = a[i];\n    }\n  }\n",
                "unroll(q)", "unroll(i)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[i] = i > 0 ? a[i - 1] : 0.0f;\n  }\n",
                "interior(i)", "unroll(i)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[i] = a[i];\n  }\n"
                "  for (int64_t j = 0; j < N; ++j) {\n"
                "    c[j] = c[j] + b[j];\n  }\n",
                "fuse(i)", "fuse(j)"},
           Case{"  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[i] = std::exp(a[i]);\n  }\n",
                "math(exp)", "math(exp, quick)"},
           Case{"  for (int64_t i = 0; i < M; ++i) {\n"
                "    float s = 0.0f;\n"
                "    for (int64_t k = 0; k < K; ++k) {\n"
                "      s += a[i + k];\n    }\n    c[i] = s;\n  }\n",
                "slide(k)", "slide(i)"},
           Case{"#pragma omp simd\n  for (int64_t i = 0; i < N; ++i) {\n"
                "    c[i] = a[i];\n  }\n",
                "hoist(i)", "simd(i)"},
       }) {
    const auto labels = Ranked(statements);
    EXPECT_TRUE(Has(labels, offered)) << offered << "\n" << statements;
    EXPECT_FALSE(Has(labels, withheld)) << withheld << "\n" << statements;
    EXPECT_TRUE(Has(labels, "restrict()"));
  }
}

TEST(MovesTest, ThreadsCountIntoTablesOfTheirOwn) {
  const auto labels = Ranked(
      "  for (int64_t i = 0; i < N; ++i) {\n"
      "    c[static_cast<int>(a[i]) & 0xff] += 1.0f;\n  }\n",
      2);
  EXPECT_EQ(labels[0], "privatize(i, 2, threads)");
}

}  // namespace
}  // namespace coppice::agents::catalogue
