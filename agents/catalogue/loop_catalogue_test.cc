#include "agents/catalogue/loop_catalogue.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

// What the label makes of these lines of a file, whose statements begin in
// line 4; or why nothing.
std::string RewriteLines(std::string_view statements, Lines span,
                         std::string_view label) {
  const std::string source = KernelOf(statements);
  const auto made = RewriteLoops(source, span, ParseLabel(label), {});
  if (!made) return made.error();
  const std::string before = KernelOf("");
  return made->substr(before.size() - 2, made->size() - before.size());
}

// The header of the outer loop stays as it is written, so what is in it must
// speak of `i`, and of `j` in the loop within.
TEST(LoopCatalogueTest, ALoopWithinOneDownwardsKnowsItsVariable) {
  const std::string statements =
      "  for (int64_t i = M - 1; i >= 0; --i) {\n"
      "    for (int64_t j = i; j > 1; j -= 1) {\n"
      "      float s = a[i];\n"
      "      for (int64_t p = i + 1; p < M; ++p) {\n"
      "        s -= c[p] * b[j];\n"
      "      }\n"
      "      c[i] = s;\n"
      "    }\n"
      "  }\n";
  const std::string pragma = "#pragma omp simd reduction(+:s)\n";
  std::string expected = statements;
  expected.insert(expected.find("      for (int64_t p"), pragma);
  EXPECT_EQ(RewriteLines(statements, {7, 9}, "simd(p)"), expected);
  // Here `i` is left, and `j` goes upwards.
  const std::string upwards =
      RewriteLines(statements, {5, 11}, "simd(p) + hoist(j_down)");
  EXPECT_NE(upwards.find("for (int64_t p = i + 1; p < M; ++p) {\n"),
            std::string::npos)
      << upwards;
}

TEST(LoopCatalogueTest, WhatThreadsDoTogetherStaysTheirs) {
  const auto why_not = [](const std::string& pragma, const char* label) {
    return WhyNot("  float s = 0.0f;\n" + pragma +
                      "\n  for (int64_t k = 0; k < K; ++k) {\n"
                      "    s += a[k];\n  }\n  c[0] = s;\n",
                  label, Setting{2, {}, {}});
  };
  for (const char* label : {"accumulate(k, 8)", "parallel(k)", "simd(k)",
                            "block(k, 4)", "jam(k, 4)"}) {
    EXPECT_EQ(why_not("#pragma omp for reduction(+:s)", label),
              "threads share its iterations")
        << label;
  }
  EXPECT_EQ(
      why_not("#pragma omp parallel for reduction(+:s)", "accumulate(k, 8)"),
      "applies");
  EXPECT_EQ(why_not("#pragma GCC ivdep", "accumulate(k, 8)"), "applies");
}

}  // namespace
}  // namespace coppice::agents::catalogue
