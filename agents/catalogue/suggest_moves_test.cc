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

}  // namespace
}  // namespace coppice::agents::catalogue
