#include "agents/catalogue/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue {
namespace {

using ::testing::ElementsAre;

TEST(EffectsTest, TellsReadsFromWrites) {
  const Effects effects =
      EffectsOf(ParseStmts("y[i] += a[i * n + k]; s = t; ++u;"));
  EXPECT_THAT(effects.WrittenArrays(), ElementsAre("y"));
  EXPECT_THAT(effects.ReadArrays(), ElementsAre("a", "y"));
  EXPECT_THAT(effects.writes, ElementsAre("s", "u"));
  EXPECT_FALSE(effects.opaque);
}

TEST(EffectsTest, AStoreAloneIsNoRead) {
  EXPECT_TRUE(EffectsOf(ParseStmts("y[i] = 0;")).ReadArrays().empty());
}

TEST(EffectsTest, UnknownCodeIsOpaque) {
  EXPECT_TRUE(EffectsOf(ParseStmts("*p = 1;")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("v.push_back(1);")).opaque);
  EXPECT_TRUE(EffectsOf(ParseStmts("while (x) { }")).opaque);
  EXPECT_FALSE(EffectsOf(ParseStmts("v.data()[i] = f(x);")).opaque ==
               false);  // Its base has no name.
}

TEST(EffectsTest, ASwapChangesBoth) {
  const Effects effects = EffectsOf(ParseStmts("std::swap(x, y);"));
  EXPECT_EQ(effects.writes, (std::set<std::string>{"x", "y"}));
  EXPECT_FALSE(effects.opaque);
}

TEST(EffectsTest, DefinitionsAreIntegersNeverAssigned) {
  const Definitions definitions = DefinitionsIn(ParseStmts(
      "int64_t row = i + 1; int64_t n = 0; n += 1; float f = x + y;"
      "constexpr int64_t K = 8; const int64_t at = std::min<int64_t>(j, M);"));
  ASSERT_EQ(definitions.size(), 2U);
  EXPECT_EQ(Print(definitions.at("row")), "i + 1");
  EXPECT_EQ(Print(definitions.at("at")), "j");  // A shifted tail.
}

TEST(EffectsTest, NamesWithTwoMeaningsDefineNothing) {
  EXPECT_TRUE(DefinitionsIn(ParseStmts("{ int64_t r = i; } { int64_t r = j; }"))
                  .empty());
}

}  // namespace
}  // namespace coppice::agents::catalogue
