#include "engine/compare/budget_crossing.h"

#include <gmock/gmock.h>

#include "engine/compare/contender.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "policy: stark greedy; agents: team alone".
std::string Factors(const std::vector<std::string>& contenders) {
  const auto design = DesignOf(contenders);
  if (!design) return design.error().what;
  std::string text;
  for (const lab::Factor& factor : design->factors) {
    text += (text.empty() ? "" : "; ") + factor.name + ":";
    for (const std::string& level : factor.levels) text += " " + level;
  }
  return text;
}

TEST(BudgetCrossingTest, FactorsAreWhatContendersDifferIn) {
  EXPECT_EQ(Factors({"stark", "stark.alone", "greedy", "greedy.alone"}),
            "policy: stark greedy; agents: team alone");
  EXPECT_EQ(Factors(Varied({"stark"},
                           "agents=alone,team,window_history=0,5,"
                           "memory=none,old.db")
                        .value()),
            "agents: alone team; window_history: 0 5; memory: none old.db");
  EXPECT_EQ(Factors({"stark", "greedy"}), "policy: stark greedy");
}

TEST(BudgetCrossingTest, CellsHaveTheirLevels) {
  const lab::Design design =
      DesignOf(Varied({"stark", "greedy", "puct"}, "agents=team,alone").value())
          .value();
  ASSERT_EQ(design.cells.size(), 6u);
  EXPECT_EQ(design.cells[3].policy, "greedy.alone");
  EXPECT_THAT(design.cells[3].levels, ElementsAre(1u, 1u));
  EXPECT_THAT(design.cells[4].levels, ElementsAre(2u, 0u));
}

// Shinka crosses with chance 0.1 by default, and evolutionary with none.
TEST(BudgetCrossingTest, AConstantOfAllPoliciesMayBeAFactor) {
  EXPECT_EQ(Factors({"shinka", "shinka:cross=0", "evolutionary:cross=0.1",
                     "evolutionary"}),
            "policy: shinka evolutionary; cross: 0.1 0");
  EXPECT_EQ(Factors({"stark", "stark:epsilon=0.4"}), "epsilon: 0.3 0.4");
}

// With two constants, two of four combinations would be missing.
TEST(BudgetCrossingTest, ConstantsThatAreNotCrossedBelongToThePolicy) {
  EXPECT_EQ(Factors({"stark", "stark:epsilon=0.4,n_root=8"}),
            "policy: stark stark:epsilon=0.4,n_root=8");
  EXPECT_EQ(Factors({"stark", "stark:epsilon=0.4", "greedy"}),
            "policy: stark stark:epsilon=0.4 greedy");
}

TEST(BudgetCrossingTest, WhatIsNotCrossedIsSaid) {
  EXPECT_THAT(Factors({"stark", "stark.alone", "greedy"}),
              HasSubstr("are not all levels crossed with each other"));
  EXPECT_THAT(Factors({"stark"}), HasSubstr("nothing to cross"));
}

TEST(BudgetCrossingTest, SamplingsAreThePresets) {
  const std::vector<SamplingBaseline> live = Samplings(false);
  ASSERT_EQ(live.size(), 2u);
  EXPECT_EQ(live[0].policy,
            "best_of_k.alone@plan_temperature=0.7,code_temperature=0.7,"
            "debug_temperature=0.7,window_history=0,window_cap=others,"
            "window_leaders=0");
  EXPECT_EQ(NameOf(ParseContender(live[1].policy).value()), live[1].policy);
  const std::vector<SamplingBaseline> in_memory = Samplings(true);
  EXPECT_EQ(in_memory[0].policy, "best_of_k.alone");
  EXPECT_EQ(in_memory[1].policy, "reflexion.alone");
  EXPECT_EQ(in_memory[1].name, "sequential sampling");
}

}  // namespace
}  // namespace coppice::engine
