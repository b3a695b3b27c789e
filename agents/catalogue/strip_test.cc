#include "agents/catalogue/strip.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

TEST(StripTest, CutsFromWhereTheLoopStarts) {
  const Stmt loop = ParseStmts("for (int64_t i = 1; i < N; ++i) { f(i); }")[0];
  const Strips strips = CutIntoStrips(loop, 8, {});
  EXPECT_EQ(Print(strips.main_bound), "1 + (N - 1) / 8 * 8");
  EXPECT_FALSE(strips.exact);
  EXPECT_TRUE(CutIntoStrips(loop, 8, {{"N", 17}}).exact);
}

TEST(StripTest, MaskedLanesNeitherLoadNorStore) {
  const Mask mask{ParseExpr("j < N"), {"t"}, {"j"}};
  const auto list =
      Masked(ParseStmts("float x = a[j] + a[0]; t[j] = x; c[j] = x;"
                        "if (x > 0) { c[j] = 0; }"),
             mask);
  ASSERT_TRUE(list);
  EXPECT_EQ(Print(*list),
            "float x = (j < N ? a[j] : 0) + a[0];\n"
            "t[j] = x;\n"
            "if (j < N) {\n"
            "  c[j] = x;\n"
            "}\n"
            "if (j < N && x > 0) {\n"
            "  c[j] = 0;\n"
            "}\n");
}

TEST(StripTest, SomeStatementsCannotBeMasked) {
  const Mask mask{ParseExpr("j < N"), {}, {"j"}};
  EXPECT_FALSE(Masked(ParseStmts("f(a[j]);"), mask));
  EXPECT_FALSE(Masked(ParseStmts("while (x) { }"), mask));
  EXPECT_FALSE(Masked(
      ParseStmts("for (int64_t k = 0; k < j; ++k) { c[k] = 0; }"), mask));
}

TEST(StripTest, MaximaGoByValue) {
  StmtList list = ParseStmts("x = std::max(a, b) + std::min<int64_t>(i, j);");
  EXPECT_EQ(MaximaByValue(list).size(), 1U);
  EXPECT_EQ(Print(list), "x = LaneMax(a, b) + std::min<int64_t>(i, j);\n");
}

TEST(StripTest, TailsHaveNames) {
  EXPECT_EQ(ParseTail(""), Tail::kMasked);
  EXPECT_EQ(ParseTail("overlap"), Tail::kOverlap);
  EXPECT_EQ(ParseTail("sloppy"), std::nullopt);
}

}  // namespace
}  // namespace coppice::agents::catalogue
