#include "agents/catalogue/wishes.h"

#include <gtest/gtest.h>

#include "agents/prompt/prompt_context.h"

namespace coppice::agents::catalogue {
namespace {

Wish Rule(const std::string& technique, bool wants_it) {
  return {1, "ana", "a rule", true, technique, wants_it};
}

double FactorAfter(const std::string& advice, const std::string& label) {
  return WishFilter({{1, "ana", advice}}).FactorOf(label);
}

TEST(WishesTest, APlanKeepsAllRulesOnTechniques) {
  const WishFilter wishes({Rule("tile", false), Rule("unroll", true)});
  EXPECT_TRUE(wishes.Allow("unroll(i, 4)"));
  EXPECT_TRUE(wishes.Allow("jam(j, 32) + unroll(i, 4)"));
  EXPECT_FALSE(wishes.Allow("jam(j, 32)"));
  EXPECT_FALSE(wishes.Allow("unroll(i, 4) + tile(i, 8)"));
  // A step of a plan need not have what the whole must.
  EXPECT_TRUE(wishes.AllowStep("jam(j, 32)"));
  EXPECT_FALSE(wishes.AllowStep("tile(i, 8)"));
  EXPECT_GT(wishes.FactorOf("unroll(i, 4)"), 1.0);
}

TEST(WishesTest, WhereNobodySaidAnythingAllIsAsItWas) {
  EXPECT_TRUE(WishFilter().Allow("tile(i, 8)"));
  EXPECT_EQ(WishFilter().FactorOf("tile(i, 8)"), 1.0);
  // A rule on sources says nothing of techniques.
  const WishFilter wishes({{1, "ana", "must not match tile", true}});
  EXPECT_TRUE(wishes.Allow("tile(i, 8)"));
  EXPECT_EQ(wishes.FactorOf("tile(i, 8)"), 1.0);
}

TEST(WishesTest, AdviceNamesTechniquesInWords) {
  for (const char* advice :
       {"tile", "Tile for L2 first.", "Try tiling i and j",
        "Do not unroll, tile.", "No unrolling; tiles pay here.",
        "Unrolling is no good but tiling is."}) {
    EXPECT_GT(FactorAfter(advice, "tile(i, 8)"), 1.0) << advice;
  }
  for (const char* advice :
       {"Do not tile.", "Stop it from trying tiling", "Avoid large tiles.",
        "don't tile this", "Tile? No: never tile again."}) {
    EXPECT_LT(FactorAfter(advice, "tile(i, 8)"), 1.0) << advice;
  }
  for (const char* advice : {"", "Think of textiles.", "Be bold."}) {
    EXPECT_EQ(FactorAfter(advice, "tile(i, 8)"), 1.0) << advice;
  }
  EXPECT_GT(FactorAfter("Vectorise j.", "simd(j)"), 1.0);
  EXPECT_LT(FactorAfter("Work without threads.", "parallel(i)"), 1.0);
}

}  // namespace
}  // namespace coppice::agents::catalogue
