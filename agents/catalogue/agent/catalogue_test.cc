#include "agents/catalogue/agent/catalogue.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(CatalogueTest, LabelsJoinTechniques) {
  const auto techniques = ParseLabel("jam(j, 32) + jam(i, 6) + restrict()");
  ASSERT_EQ(techniques.size(), 3U);
  EXPECT_EQ(PrintLabel(techniques), "jam(j, 32) + jam(i, 6) + restrict");
  EXPECT_TRUE(ParseLabel("").empty());
  EXPECT_TRUE(ParseLabel("jam(j) + ").empty());
}

TEST(CatalogueTest, AStarMeansEveryLoopWhereItApplies) {
  EXPECT_EQ(Rewrite("  float s = 0.0f;\n"
                    "  for (int64_t i = 0; i < N; ++i) {\n"
                    "    s += a[i];\n"
                    "  }\n"
                    "  for (int64_t i = 0; i < N; ++i) {\n"
                    "    c[i] = s;\n"
                    "  }\n",
                    "simd(*)"),
            "float s = 0.0f;\n"
            "#pragma omp simd reduction(+:s)\n"
            "for (int64_t i = 0; i < N; ++i) {\n"
            "  s += a[i];\n"
            "}\n"
            "#pragma omp simd\n"
            "for (int64_t i = 0; i < N; ++i) {\n"
            "  c[i] = s;\n"
            "}\n");
}

TEST(CatalogueTest, RefusesWithAReason) {
  const std::string loop =
      "  for (int64_t i = 0; i < N; ++i) {\n    c[i] = a[i];\n  }\n";
  EXPECT_EQ(Rewrite(loop, "levitate(i)"),
            "refused: levitate(i): `levitate` is not in the catalogue");
  EXPECT_EQ(Rewrite(loop, ""), "refused: the technique has no label");
  EXPECT_EQ(Rewrite(loop, "scan(*)"),
            "refused: scan(*): no loop of the span allows it");
  EXPECT_EQ(RewriteSpan("no kernel", 1, 1, "simd(i)", {}).error(),
            "the source has no extern \"C\" entry");
}

TEST(CatalogueTest, OnlyWholeStatementsAreASpan) {
  const std::string source =
      KernelOf("  for (int64_t i = 0; i < N; ++i) {\n    c[i] = a[i];\n  }\n");
  EXPECT_TRUE(RewriteSpan(source, 4, 6, "simd(i)", {}));
  EXPECT_EQ(RewriteSpan(source, 4, 5, "simd(i)", {}).error(),
            "no whole statement lies between the anchors");
}

}  // namespace
}  // namespace coppice::agents::catalogue
