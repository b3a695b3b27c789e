#include "agents/catalogue/technique.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"
#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

TEST(SiteTest, LoopsAreFoundAtAnyDepthInOrder) {
  StmtList list = ParseStmts(
      "if (x) { for (int64_t j = 0; j < 1; ++j) { f(j); } }"
      "for (int64_t j = 0; j < 2; ++j) { f(j); }");
  EXPECT_EQ(Print(FindLoop(list, "j")->bound), "1");
  EXPECT_TRUE(ReplaceLoop(list, "j", {}));
  EXPECT_EQ(Print(FindLoop(list, "j")->bound), "2");
  EXPECT_EQ(FindLoop(list, "k"), nullptr);
}

TEST(SiteTest, SizesComeFromConstantsAndWorkloads) {
  const auto kernel = ParseKernel(
      KernelOf("  constexpr int64_t S = 2;\n  int64_t rows = M * S;\n"
               "  for (int64_t i = 1; i < rows; ++i) {\n    c[i] = 0;\n"
               "  }\n"));
  const Setting setting{1, {{{"M", 20}}, {{"M", 8}}}, {}};
  const Site site = MakeSite(*kernel, kernel->body, setting);
  EXPECT_EQ(site.constants.at("S"), 2);
  EXPECT_THAT(TripsOf(site, kernel->body[2]),  // M * S - 1.
              ::testing::ElementsAre(39, 15));
  EXPECT_EQ(site.Fresh("i"), "i1");
  EXPECT_EQ(site.Fresh("lane"), "lane");
}

TEST(SiteTest, EvaluatesIntegerArithmetic) {
  const Constants constants = {{"N", 67}};
  EXPECT_EQ(ValueOf(ParseExpr("N / 32 * 32"), constants), 64);
  EXPECT_EQ(ValueOf(ParseExpr("std::min<int64_t>(N, 10) + N % 32"), constants),
            13);
  EXPECT_EQ(ValueOf(ParseExpr("M"), constants), std::nullopt);
  EXPECT_EQ(ValueOf(ParseExpr("N / 0"), constants), std::nullopt);
}

}  // namespace
}  // namespace coppice::agents::catalogue
