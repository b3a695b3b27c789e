#include "agents/catalogue/anchors.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue {
namespace {

constexpr std::string_view kAnchoredSource =
    "{\n"
    "#pragma omp simd\n"
    "  for (;;) {\n"
    "  }\n"
    "}\n";

TEST(AnchorsTest, StandAroundTheLinesAndIndentedLikeThem) {
  EXPECT_EQ(WithAnchors(kAnchoredSource, {2, 4}),
            "{\n"
            "  // <<<IMPROVE BEGIN>>>\n"
            "#pragma omp simd\n"
            "  for (;;) {\n"
            "  }\n"
            "  // <<<IMPROVE END>>>\n"
            "}\n");
}

TEST(AnchorsTest, AreReadBack) {
  const auto anchored = ReadAnchors(WithAnchors(kAnchoredSource, {2, 4}));
  ASSERT_TRUE(anchored);
  EXPECT_EQ(anchored->source, kAnchoredSource);
  EXPECT_EQ(anchored->span, (Lines{2, 4}));
}

TEST(AnchorsTest, MustBeAPair) {
  EXPECT_FALSE(ReadAnchors(kAnchoredSource));
  EXPECT_FALSE(ReadAnchors("// <<<IMPROVE BEGIN>>>\nx;\n"));
  EXPECT_FALSE(ReadAnchors("// <<<IMPROVE END>>>\nx;\n"));
}

TEST(AnchorsTest, FindTheStatementsBetweenThem) {
  const StmtList body = ParseStmts(
      "a = 1;\n"
      "for (int64_t i = 0; i < n; ++i) {\n"
      "  b = 2;\n"
      "  c = 3;\n"
      "}\n");
  EXPECT_EQ(StatementsIn(body, {1, 5}).size(), 2U);
  EXPECT_EQ(StatementsIn(body, {3, 4}).size(), 2U);
  EXPECT_TRUE(StatementsIn(body, {1, 3}).empty());  // Cuts the loop.
  EXPECT_TRUE(StatementsIn(body, {7, 9}).empty());
}

}  // namespace
}  // namespace coppice::agents::catalogue
