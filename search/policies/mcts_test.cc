#include "search/policies/mcts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "search/indexes/subtree_rewards.h"
#include "search/lineage.h"
#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

// With exp(-2 ln s) = 1 / s^2, a speedup s has the reward s^2 / (1 + s^2).
TEST(MctsTest, ARewardIsHalfForTheRootsSpeed) {
  EXPECT_DOUBLE_EQ(RewardOf(0.0), 0.5);
  EXPECT_DOUBLE_EQ(RewardOf(std::log(2.0)), 0.8);
  EXPECT_DOUBLE_EQ(RewardOf(-std::log(3.0)), 0.1);
}

// TreeQuest's StandardMCTS, N = 3, (n, V, prior) = (1, 0.2, 0.354344) and
// (2, 1.4, 0.645656) has V / n + sqrt 2 prior bonus = 0.725245 and 1.376743.
TEST(MctsTest, TheBonusIsThatOfAPeersGoldenValues) {
  const double c = std::numbers::sqrt2;
  EXPECT_NEAR(0.2 + c * 0.354344 * UctBonus(std::log(3), 1), 0.725245, 1e-6);
  EXPECT_NEAR(0.7 + c * 0.645656 * UctBonus(std::log(3), 2), 1.376743, 1e-6);
}

TEST(MctsTest, FillsTheRootFirstAndCountsAttemptsInFlight) {
  const auto mcts = MakeMcts({.width = 2});
  EXPECT_EQ(PickWithReason(*mcts, "n0 10ms\n"),
            "n0: upper bound 0.5, has 0 children of 2");
  EXPECT_EQ(Pick(*mcts, "n0 10ms\n  n1 5ms\n"), "n0");
  EXPECT_EQ(Pick(*mcts, "n0 10ms +1\n  n1 5ms\n"), "n1");
}

// Rewards: n1 0.8 (2x), n2 0.5, n3 0.9 (3x), n4 0.1 (1/3x).
//   n1: (0.8 + 0.9 + 0.1) / 3 = 0.6, bonus sqrt(ln 5 / 3) = 0.732
//   n2: 0.5,                        bonus sqrt(ln 5 / 1) = 1.269
// They cross at c = 0.1 / 0.536 = 0.186.
constexpr std::string_view kUneven =
    "n0 6ms\n"
    "  n1 3ms\n"
    "    n3 2ms\n"
    "    n4 18ms\n"
    "  n2 6ms\n";

TEST(MctsTest, DescendsByTheMeanAndTheBonus) {
  EXPECT_EQ(Pick(*MakeMcts({.exploration = 0.19, .width = 2}), kUneven), "n2");
  // Below n1: n3 and n4 have one visit each, n3 the larger reward.
  EXPECT_EQ(
      PickWithReason(*MakeMcts({.exploration = 0.0, .width = 2}), kUneven),
      "n3: upper bound 0.9, has 0 children of 2");
  EXPECT_EQ(Pick(*MakeMcts({.exploration = 0.18, .width = 2}), kUneven), "n3");
}

// By the maximum n1 has 0.9: n2 overtakes at c = 0.4 / 0.536 = 0.746.
TEST(MctsTest, DescendsByTheMaximum) {
  EXPECT_EQ(Pick(*MakeMctsMax({.exploration = 0.7, .width = 2}), kUneven),
            "n3");
  EXPECT_EQ(Pick(*MakeMctsMax({.exploration = 0.8, .width = 2}), kUneven),
            "n2");
}

// N = 5 at the root: 5^0.3 = 1.62 is less than its 2 children, 5^0.5 = 2.24 is
// not.  n1 has N = 3: 3^0.3 = 1.39.
TEST(MctsTest, WidensWithItsVisits) {
  EXPECT_EQ(
      Pick(*MakeMctsWidening({.exploration = 0.0, .power = 0.3}), kUneven),
      "n3");
  EXPECT_EQ(PickWithReason(*MakeMctsWidening({.power = 0.5}), kUneven),
            "n0: upper bound 0.9, has 2 children of 3");
}

// n1 passes at 0.8; its failing child n3 has 0.8 too, not 0, and so has n4
// below that; n5, below a failing first hop, has the root's 0.5.
TEST(MctsTest, AFailureIsAVisitAndNoReward) {
  const Tree tree = BuildTree(ParseTree("n0 6ms\n"
                                        "  n1 3ms\n"
                                        "    n3 failed\n"
                                        "      n4 crashed\n"
                                        "  n2 failed\n"
                                        "    n5 failed\n"
                                        "    n6 2ms\n"),
                              *MakeMcts());
  const auto& index = static_cast<const SubtreeRewards&>(*tree.index());
  EXPECT_DOUBLE_EQ(index.Reward(NodeId{1}), 0.8);
  EXPECT_EQ(index.Visits(NodeId{1}), 3u);
  EXPECT_DOUBLE_EQ(index.Reward(NodeId{3}), 0.8);
  EXPECT_DOUBLE_EQ(index.Reward(NodeId{4}), 0.8);
  EXPECT_DOUBLE_EQ(index.Reward(NodeId{5}), 0.5);
  EXPECT_DOUBLE_EQ(index.Reward(NodeId{2}), 0.9);  // Of n6, which mends it.
  EXPECT_DOUBLE_EQ(index.Reward(kRootNode), (0.5 + 0.8 + 0.9) / 3);
}

// n1 and n2 have equal rewards: the one with an attempt in flight has visits 2.
TEST(MctsTest, AttemptsInFlightSendWorkersApart) {
  const auto mcts = MakeMcts({.width = 2});
  EXPECT_EQ(Pick(*mcts, "n0 6ms\n  n1 3ms\n  n2 3ms\n"), "n1");
  EXPECT_EQ(Pick(*mcts, "n0 6ms\n  n1 3ms +1\n  n2 3ms\n"), "n2");
  EXPECT_EQ(Pick(*mcts, "n0 6ms\n  n1 3ms +1\n  n2 3ms +1\n"), "n1");
}

TEST(MctsTest, ANodeWhoseChildrenHoldNoCandidateIsSelectedItself) {
  const auto mcts = MakeMcts({.width = 2});
  EXPECT_EQ(PickWithReason(*mcts,
                           "n0 6ms\n"
                           "  n1 6ms\n"
                           "    n3 none\n"
                           "    n4 none\n"
                           "  n2 none\n"),
            "n1: no child of it holds a candidate");
}

TEST(MctsTest, FindsTheBestOfManyChildren) {
  // 40 children with one visit each, then two visits for the best of them.
  std::string tree = "n0 100ms\n";
  for (int i = 1; i <= 40; ++i) {
    const int runtime_ms = i == 30 ? 10 : 10 + i;
    tree +=
        "  n" + std::to_string(i) + " " + std::to_string(runtime_ms) + "ms\n";
  }
  EXPECT_EQ(Pick(*MakeMcts(), tree), "n30");
  // Q: 0.990 of 10 ms, 0.988 of 11 ms (n1).
  tree.insert(tree.find("  n31"), "    n41 10ms\n");
  EXPECT_EQ(Pick(*MakeMcts({.exploration = 0.0}), tree), "n30");
  EXPECT_EQ(Pick(*MakeMcts({.exploration = 0.1}), tree), "n1");
}

// The rule as a scan that computes everything anew at every step.
class UctScan {
 public:
  UctScan(const Tree& tree, std::string_view name)
      : tree_(tree), widens_(name == "mcts_widening"), mean_(name == "mcts") {}

  NodeId Select() const {
    NodeId at = kRootNode;
    while (true) {
      const double visits = Below(at).visits;
      const int children = tree_.ChildCount(at) + tree_.InFlight(at);
      if (children < (widens_ ? std::pow(visits, 0.3) : 3.0)) return at;
      std::optional<NodeId> best;
      double bound = 0;
      for (const NodeId child : tree_.Children(at)) {
        if (!IsExpandable(tree_.Node(child))) continue;
        const Totals below = Below(child);
        const double value = Quality(child, below) +
                             0.02 * std::sqrt(std::log(visits) / below.visits);
        if (!best || value > bound) best = child, bound = value;
      }
      if (!best) return at;
      at = *best;
    }
  }

 private:
  struct Totals {
    double visits = 0, passing = 0, sum = 0, largest = 0;
  };

  Totals Below(NodeId top) const {
    Totals totals;
    for (std::int64_t i = Index(top); i < tree_.Size(); ++i) {
      if (!tree_.IsWithin(NodeId{i}, top)) continue;
      totals.visits += 1 + tree_.InFlight(NodeId{i});
      if (!Passes(tree_, NodeId{i})) continue;
      const double reward = RewardOf(LogSpeedup(tree_, NodeId{i}));
      totals.passing += 1;
      totals.sum += reward;
      totals.largest = std::max(totals.largest, reward);
    }
    return totals;
  }

  double Quality(NodeId node, const Totals& below) const {
    if (below.passing > 0) {
      return mean_ ? below.sum / below.passing : below.largest;
    }
    while (node != kRootNode && !Passes(tree_, node)) node = tree_.Parent(node);
    return Passes(tree_, node) ? RewardOf(LogSpeedup(tree_, node)) : 0.5;
  }

  const Tree& tree_;
  bool widens_;
  bool mean_;
};

// In half of them the root has so many children that these make a crowd.
TEST(MctsTest, SelectsAsAScanOfRandomTreesDoes) {
  RandomStream stream(7, Purpose::kSimulation, 0);
  for (int i = 0; i < 3000; ++i) {
    TextTree text = RandomTree(stream);
    for (std::size_t k = 1; i % 2 == 0 && k < text.nodes.size(); ++k) {
      if (Draw(stream, 2) == 0) text.nodes[k].parent = kRootNode;
    }
    for (const std::string_view name : {"mcts", "mcts_max", "mcts_widening"}) {
      const auto policy = MakePolicy(name);
      ASSERT_TRUE(policy.has_value());
      const Tree tree = BuildTree(text, **policy);
      RandomStream unused(1, Purpose::kSelect, 0);
      ASSERT_EQ(Label((*policy)->Select(tree, unused).node),
                Label(UctScan(tree, name).Select()))
          << name << ", tree " << i;
    }
  }
}

}  // namespace
}  // namespace coppice::search
