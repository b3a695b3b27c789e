#include "agents/catalogue/recipes.h"

#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(RecipesTest, BlocksRowsAndColumns) {
  const std::string text = Rewrite(ProductOf(), "register_block(i, 8, 32)");
  EXPECT_NE(text.find("float sum[8][32];"), std::string::npos) << text;
}

TEST(RecipesTest, BlocksFitEveryWorkload) {
  // 20 columns hold no strip of 32, 5 rows none of 6.  Four rows cost
  // 25 * 7 / 100 + 2 * 7 / 5 = 4.55, two 50 * 5 / 100 + 3 * 5 / 5 = 5.5.
  const Setting setting{
      1, {{{"M", 100}, {"N", 100}}, {{"M", 5}, {"N", 20}}}, {}};
  const std::string text =
      Rewrite(ProductOf(), "register_block(i, 8, 32)", setting);
  EXPECT_NE(text.find("float sum[4][16];"), std::string::npos) << text;
}

TEST(RecipesTest, PacksWhatIsReadAcross) {
  const std::string text =
      Rewrite(ProductOf("b[j * K + k]"), "register_block(i, 8, 32)");
  EXPECT_NE(text.find("b_packed[k * N + "), std::string::npos) << text;
  EXPECT_NE(text.find("float sum[8][32];"), std::string::npos) << text;
}

TEST(RecipesTest, RowsGetMathematicsAccumulatorsAndVectors) {
  const std::string text = Rewrite(
      "  for (int64_t i = 0; i < M; ++i) {\n"
      "    float big = a[i * N];\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      big = std::max(big, a[i * N + j]);\n"
      "    }\n"
      "    for (int64_t j = 0; j < N; ++j) {\n"
      "      c[i * N + j] = std::exp(a[i * N + j] - big);\n"
      "    }\n"
      "  }\n",
      "rowwise(i, 32)");
  EXPECT_NE(text.find("float big_part[32];"), std::string::npos) << text;
  EXPECT_NE(text.find("c[i * N + j] = VectorExp(a[i * N + j] - big);"),
            std::string::npos)
      << text;
}

TEST(RecipesTest, AreDoneOnce) {
  EXPECT_EQ(Rewrite(ProductOf(),
                    "register_block(i, 8, 32) + register_block(i, 8, 32)"),
            "refused: register_block(i, 8, 32): the nest holds strips");
  EXPECT_EQ(Rewrite("  for (int64_t i = 0; i < M; ++i) {\n    c[i] = 0;\n  }\n",
                    "register_block(i, 8, 32)"),
            "refused: register_block(i, 8, 32): the nest is no product");
}

TEST(RecipesTest, KnowsAProductAlongMemory) {
  const StmtList nest = ParseStmts(ProductOf("b[j * K + k]"));
  const DotLoops dot = FindDotLoops(nest[0], {});
  EXPECT_EQ(dot.rows, "i");
  EXPECT_EQ(dot.columns, "j");
  EXPECT_EQ(dot.fold, "k");
  EXPECT_EQ(FindDotLoops(ParseStmts(ProductOf())[0], {}).fold, "");
}

}  // namespace
}  // namespace coppice::agents::catalogue
