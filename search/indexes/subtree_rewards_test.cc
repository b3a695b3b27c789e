#include "search/indexes/subtree_rewards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

Tree WithRewards(std::string_view text, Backup backup) {
  return BuildTree(ParseTree(text), std::make_unique<SubtreeRewards>(backup));
}

const SubtreeRewards& RewardsOf(const Tree& tree) {
  return static_cast<const SubtreeRewards&>(*tree.index());
}

// A speed of s times the root's has the reward s^2 / (1 + s^2): n1 0.8, n2 0.5,
// n3 0.9, n5 0.1.
constexpr std::string_view kRewardFamily =
    "n0 6ms\n"
    "  n1 3ms +2\n"
    "    n3 2ms\n"
    "    n4 failed +1\n"
    "      n5 18ms\n"
    "  n2 6ms\n";

TEST(SubtreeRewardsTest, VisitsAreNodesAndAttemptsInFlight) {
  const Tree tree = WithRewards(kRewardFamily, Backup::kMean);
  const unsigned visits[] = {9, 7, 1, 1, 3, 1};
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(RewardsOf(tree).Visits(NodeId{i}),
              visits[static_cast<std::size_t>(i)])
        << i;
  }
}

TEST(SubtreeRewardsTest, TheMeanIsOverWhatPassesAndTheMaximumOverTheSame) {
  const Tree mean = WithRewards(kRewardFamily, Backup::kMean);
  EXPECT_DOUBLE_EQ(RewardsOf(mean).Reward(NodeId{1}), (0.8 + 0.9 + 0.1) / 3);
  EXPECT_DOUBLE_EQ(RewardsOf(mean).Reward(kRootNode),
                   (0.5 + 0.8 + 0.9 + 0.1 + 0.5) / 5);
  const Tree most = WithRewards(kRewardFamily, Backup::kMax);
  EXPECT_DOUBLE_EQ(RewardsOf(most).Reward(NodeId{1}), 0.9);
  EXPECT_DOUBLE_EQ(RewardsOf(most).Reward(kRootNode), 0.9);
  for (const Tree* tree : {&mean, &most}) {
    EXPECT_DOUBLE_EQ(RewardsOf(*tree).Reward(NodeId{2}), 0.5);
    // Before n5 it had n1's 0.8; now it has what passes below it, alone.
    EXPECT_DOUBLE_EQ(RewardsOf(*tree).Reward(NodeId{4}), 0.1);
  }
}

TEST(SubtreeRewardsTest, ARootThatFailsIsHalf) {
  const Tree tree = WithRewards("n0 failed\n  n1 failed\n", Backup::kMean);
  EXPECT_DOUBLE_EQ(RewardsOf(tree).Reward(kRootNode), 0.5);
  EXPECT_DOUBLE_EQ(RewardsOf(tree).Reward(NodeId{1}), 0.5);
}

// ln 8 / 2: a child's share of the visits of its parent is what counts.
TEST(SubtreeRewardsTest, TheBonusFallsWithVisits) {
  EXPECT_DOUBLE_EQ(UctBonus(std::log(8.0), 2), std::sqrt(std::log(8.0) / 2));
  EXPECT_GT(UctBonus(1.0, 1), UctBonus(1.0, 2));
  EXPECT_EQ(UctBonus(0.0, 1), 0.0);  // A parent of one visit.
}

TEST(SubtreeRewardsTest, WhoComparesChildrenMayBeTold) {
  const Tree tree = WithRewards(
      "n0 6ms\n"
      "  n1 3ms\n"
      "  n2 none\n"
      "  n3 6ms\n",
      Backup::kMean);
  Weighing weighing;
  // ln 4 = 1.386, its root 1.177: 0.8 + 1.177 and 0.5 + 1.177.
  const auto best = RewardsOf(tree).BestChild(tree, kRootNode, 1.0, &weighing);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->node, NodeId{1});
  EXPECT_NEAR(best->worth, 1.977, 1e-3);
  ASSERT_EQ(weighing.nodes.size(), 2u);
  EXPECT_EQ(weighing.nodes[0].node, NodeId{1});
  EXPECT_EQ(weighing.nodes[1].node, NodeId{3});
  EXPECT_NEAR(weighing.nodes[1].score, 1.677, 1e-3);
  EXPECT_FALSE(RewardsOf(tree).BestChild(tree, NodeId{1}, 1.0).has_value());
}

// A crowd of 20 has the best of each number of visits compared: n7, of those
// with two, and n1, the lowest of the others, which are all as fast as it.
TEST(SubtreeRewardsTest, OfACrowdTheBestOfEachNumberOfVisitsIsTold) {
  std::string text = "n0 6ms\n";
  for (int i = 1; i <= 20; ++i) {
    text += "  n" + std::to_string(i) + (i == 7 ? " 3ms +1\n" : " 6ms\n");
  }
  const Tree tree = WithRewards(text, Backup::kMean);
  Weighing weighing;
  RewardsOf(tree).BestChild(tree, kRootNode, 1.0, &weighing);
  ASSERT_EQ(weighing.nodes.size(), 2u);
  EXPECT_EQ(weighing.nodes[0].node, NodeId{1});
  EXPECT_EQ(weighing.nodes[1].node, NodeId{7});
}

struct RewardTotals {
  unsigned visits = 0;
  int passing = 0;
  double sum = 0.0;
  double most = 0.0;
};

class RewardScan {
 public:
  RewardScan(const TextTree& text, Backup backup)
      : scan_(text), backup_(backup) {}

  RewardTotals Below(NodeId top) const {
    RewardTotals totals;
    for (const NodeId node : scan_.Nodes()) {
      NodeId at = node;
      while (at != top && at != kRootNode) at = scan_.Parent(at);
      if (at != top) continue;
      totals.visits += 1 + static_cast<unsigned>(scan_.InFlight(node));
      if (!scan_.Passes(node)) continue;
      const double reward = Of(scan_.LogSpeedup(node));
      ++totals.passing;
      totals.sum += reward;
      totals.most = std::max(totals.most, reward);
    }
    return totals;
  }

  double Reward(NodeId node) const {
    const RewardTotals below = Below(node);
    if (below.passing > 0) {
      return backup_ == Backup::kMean ? below.sum / below.passing : below.most;
    }
    while (node != kRootNode && !scan_.Passes(node)) node = scan_.Parent(node);
    return scan_.Passes(node) ? Of(scan_.LogSpeedup(node)) : 0.5;
  }

  // Best as a scan of the children has it; nothing if none holds a candidate.
  std::optional<NodeId> BestChild(NodeId node, double c) const {
    std::vector<NodeId> children = scan_.Children(node);
    std::erase_if(children,
                  [&](NodeId child) { return !scan_.IsExpandable(child); });
    const double log_visits = std::log(Below(node).visits);
    return TreeScan::Best(children, [&](NodeId child) {
      return Reward(child) + c * std::sqrt(log_visits / Below(child).visits);
    });
  }

 private:
  static double Of(double log_speedup) {
    return 1.0 / (1.0 + std::exp(-2.0 * log_speedup));
  }

  TreeScan scan_;
  Backup backup_;
};

TEST(SubtreeRewardsTest, AgreesWithAScanHoweverAttemptsBeganAndEnded) {
  RandomStream stream(11, Purpose::kSimulation, 0);
  for (int i = 0; i < 400; ++i) {
    const TextTree text = i % 2 == 0 ? BushyTree(stream) : RandomTree(stream);
    const Backup backup = i % 4 < 2 ? Backup::kMean : Backup::kMax;
    const Tree tree =
        GrowTree(text, std::make_unique<SubtreeRewards>(backup), stream);
    const SubtreeRewards& rewards = RewardsOf(tree);
    const RewardScan scan(text, backup);
    for (const NodeSummary& node : text.nodes) {
      ASSERT_EQ(rewards.Visits(node.id), scan.Below(node.id).visits) << i;
      ASSERT_DOUBLE_EQ(rewards.Reward(node.id), scan.Reward(node.id)) << i;
      for (const double c : {0.0, 0.1, 1.5}) {
        const auto best = rewards.BestChild(tree, node.id, c);
        const auto scanned = scan.BestChild(node.id, c);
        ASSERT_EQ(best.has_value(), scanned.has_value()) << i;
        if (scanned) {
          ASSERT_EQ(best->node, *scanned) << i << ", c = " << c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace coppice::search
