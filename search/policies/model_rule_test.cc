#include "search/policies/model_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "search/text_tree.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::vector<std::string> kModels = {"a", "b"};

AskedModel Asked(const std::string& model, std::int64_t parent,
                 std::optional<std::int64_t> node,
                 std::optional<double> cost_usd = std::nullopt) {
  AskedModel asked;
  asked.model = model;
  asked.parent = NodeId{parent};
  if (node) asked.node = NodeId{*node};
  asked.answers = 1;
  asked.cost_usd = cost_usd;
  return asked;
}

// How often each was chosen of 1,000, with the reason.
std::map<std::string, int> SelectOften(const ModelRule& rule,
                                       const std::vector<AskedModel>& earlier,
                                       const TextTree& tree) {
  const Tree built = BuildTree(tree);
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomStream stream(seed, Purpose::kModel, 0);
    const ModelSelection selection =
        rule.Select(kModels, earlier, built, stream);
    ++counts[selection.model + ": " + selection.reason];
  }
  return counts;
}

std::map<std::string, int> SelectOften(const ModelRule& rule,
                                       const std::vector<AskedModel>& earlier,
                                       std::string_view tree) {
  return SelectOften(rule, earlier, ParseTree(tree));
}

// The winner has 800 of 1,000 draws, with a standard deviation of 13.
const auto kMostly = testing::AllOf(testing::Ge(740), testing::Le(860));
const auto kSeldom = testing::AllOf(testing::Ge(140), testing::Le(260));

TEST(ModelRuleTest, ModelsThatWereNeverAskedComeFirst) {
  EXPECT_THAT(
      SelectOften(*MakeModelBandit(), {Asked("a", 0, 1)}, "n0 8ms\n  n1 4ms\n"),
      ElementsAre(Pair("b: not asked yet", 1000)));
}

// Node 1 is twice as fast as the root; node 2 failed.
TEST(ModelRuleTest, TheBanditMostlyAsksTheModelThatGained) {
  EXPECT_THAT(
      SelectOften(*MakeModelBandit(), {Asked("a", 0, 1), Asked("b", 0, 2)},
                  "n0 8ms\n  n1 4ms\n  n2 failed\n"),
      ElementsAre(Pair("a: highest score after 1 time", kMostly),
                  Pair("b: by chance after 1 time", kSeldom)));
}

// The repair (node 3) is as fast as node 1, above the one that failed, so it
// gained nothing; over the root it would have gained as much as node 1.
TEST(ModelRuleTest, ARepairGainsOnTheNearestAncestorThatPasses) {
  EXPECT_THAT(
      SelectOften(*MakeModelBandit(), {Asked("a", 0, 1), Asked("b", 2, 3)},
                  "n0 8ms\n  n1 4ms\n    n2 failed\n      n3 4ms\n"),
      ElementsAre(Pair("a: highest score after 1 time", kMostly),
                  Pair("b: by chance after 1 time", kSeldom)));
}

TEST(ModelRuleTest, ARepeatGainsNothing) {
  TextTree tree = ParseTree("n0 8ms\n  n1 4ms =x\n  n2 4ms =x\n");
  tree.nodes[2].is_repeat = true;
  EXPECT_THAT(SelectOften(*MakeModelBandit(),
                          {Asked("a", 0, 1), Asked("b", 0, 2)}, tree),
              ElementsAre(Pair("a: highest score after 1 time", kMostly),
                          Pair("b: by chance after 1 time", kSeldom)));
}

// Node 9 has not come: b was asked, but is not known to have gained.  Nothing
// is known of a model whose attempt ended before it was asked.
TEST(ModelRuleTest, WhatTheTreeHasNotIsInFlight) {
  EXPECT_THAT(
      SelectOften(*MakeModelBandit({.epsilon = 0.0}),
                  {Asked("a", 0, 1), Asked("b", 0, 9)}, "n0 8ms\n  n1 4ms\n"),
      ElementsAre(Pair("a: highest score after 1 time", 1000)));
  AskedModel unasked = Asked("b", 0, 1);
  unasked.answers = 0;
  EXPECT_THAT(SelectOften(*MakeModelBandit(), {Asked("a", 0, 1), unasked},
                          "n0 8ms\n  n1 4ms\n"),
              ElementsAre(Pair("b: not asked yet", 1000)));
}

// Neither gained, and the second costs four times as much.
TEST(ModelRuleTest, CostsCountAsMuchAsIsSaid) {
  const std::vector<AskedModel> earlier = {Asked("a", 0, 1, 0.01),
                                           Asked("b", 0, 2, 0.04)};
  constexpr std::string_view kBothFailed = "n0 8ms\n  n1 failed\n  n2 failed\n";
  EXPECT_THAT(SelectOften(*MakeModelRule("bandit:cost_weight=0.5").value(),
                          earlier, kBothFailed),
              ElementsAre(Pair("a: highest score after 1 time", kMostly),
                          Pair("b: by chance after 1 time", kSeldom)));
  EXPECT_EQ(SelectOften(*MakeModelBandit(), earlier, kBothFailed)
                .count("b: highest score after 1 time"),
            1u);
}

TEST(ModelRuleTest, ModelsOfAnotherListDoNotCount) {
  EXPECT_THAT(
      SelectOften(*MakeModelBandit(), {Asked("a", 0, 1), Asked("former", 0, 1)},
                  "n0 8ms\n  n1 4ms\n"),
      ElementsAre(Pair("b: not asked yet", 1000)));
}

TEST(ModelRuleTest, RoundRobinAsksInTurn) {
  constexpr std::string_view kRoot = "n0 8ms\n";
  const auto rule = MakeModelRule("round_robin").value();
  std::vector<AskedModel> earlier;
  for (const char* model : {"a", "b", "a"}) {
    EXPECT_THAT(SelectOften(*rule, earlier, kRoot),
                ElementsAre(Pair(std::string(model) + ": in turn", 1000)));
    earlier.push_back(Asked(model, 0, std::nullopt));
  }
}

TEST(ModelRuleTest, ANameMakesTheSameRuleAgain) {
  for (const char* name : {"bandit", "bandit:cost_weight=0.3",
                           "bandit:epsilon=0,discount=1", "round_robin"}) {
    EXPECT_EQ(MakeModelRule(name).value()->Name(), name);
  }
  EXPECT_EQ(MakeModelRule("bandit:epsilon=0.2").value()->Name(), "bandit");
  EXPECT_EQ(MakeModelRule("bandits").error().what,
            "model_choice 'bandits' is unknown; it is bandit, with or without "
            "constants, or round_robin");
  EXPECT_EQ(MakeModelRule("bandit:epsilon=2").error().what,
            "model_choice bandit: epsilon=2: expected a number, 0 to 1");
  EXPECT_FALSE(MakeModelRule("round_robin:x=1"));
}

}  // namespace
}  // namespace coppice::search
