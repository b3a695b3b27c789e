#include "agents/catalogue/agent/chain.h"

#include <gtest/gtest.h>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

const std::string kChainProduct = KernelOf(ProductOf());

const Setting kSetting{
    2, {{{"M", 200}, {"N", 300}, {"K", 100}}}, kChainProduct};

TEST(ChainTest, OneLabelDoesAllItsSteps) {
  int drawn = 0;
  for (std::uint64_t decision = 0; decision < 10; ++decision) {
    RandomStream stream(1, Purpose::kPlanAgent, decision);
    const auto chain = DrawChain(kChainProduct, "", kSetting, stream);
    if (!chain) continue;
    ++drawn;
    EXPECT_GE(ParseLabel(chain->label).size(), 2U);
    EXPECT_LE(chain->label.size(), 56U);
    EXPECT_EQ(RewriteFile(kChainProduct, chain->label, kSetting),
              chain->result);
  }
  EXPECT_GE(drawn, 5);
}

TEST(ChainTest, AgainStartsFromTheRoot) {
  const std::string changed =
      RewriteFile(kChainProduct, "restrict()", kSetting);
  EXPECT_EQ(RewriteFile(changed, "again + jam(j, 32)", kSetting),
            RewriteFile(kChainProduct, "jam(j, 32)", kSetting));
  EXPECT_EQ(RewriteFile(changed, "again + jam(j, 32)"),
            "refused: there is no root");
}

Precedent Of(const std::string& program) {
  Precedent precedent;
  precedent.steps = ParseLabel(program);
  return precedent;
}

// 48 columns and 6 rows of loops that have other names; 32 to 63 are alike.
TEST(ChainTest, APrecedentIsFollowedOnTheLoopsThatAreHere) {
  const auto chain =
      Follow(Of("jam(x, 48, overlap) + jam(y, 6, overlap)"), kSetting);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->label, "jam(j, 48, overlap) + jam(i, 6, overlap)");
  EXPECT_EQ(RewriteFile(kChainProduct, chain->label, kSetting), chain->result);
  const auto alike = Follow(Of("jam(x, 40, overlap)"), kSetting);
  ASSERT_TRUE(alike);
  EXPECT_EQ(alike->label, "jam(j, 32, overlap)");
}

// There is no mathematics in a product.
TEST(ChainTest, APrecedentIsFollowedAsAWholeOrNotAtAll) {
  EXPECT_FALSE(Follow(Of("jam(x, 48, overlap) + math(exp)"), kSetting));
  EXPECT_FALSE(Follow(Of(""), kSetting));
}

TEST(ChainTest, AnEmptyKernelHasNone) {
  RandomStream stream(1, Purpose::kPlanAgent, 0);
  EXPECT_FALSE(DrawChain(KernelOf(""), "", kSetting, stream));
  EXPECT_FALSE(DrawChain("no kernel", "", kSetting, stream));
}

}  // namespace
}  // namespace coppice::agents::catalogue
