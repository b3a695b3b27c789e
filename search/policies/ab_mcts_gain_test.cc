#include "search/policies/ab_mcts_gain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "search/indexes/subtree_rewards.h"
#include "search/lineage.h"
#include "search/random_tree.h"
#include "search/score_belief.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(AbMctsGainTest, ANodeWithoutChildrenIsSelected) {
  EXPECT_EQ(PickWithReason(*MakeAbMctsGain(), "n0 10ms\n"),
            "n0: a leaf, by draws from the root");
  EXPECT_EQ(PickWithReason(*MakeAbMctsGain(), "n0 10ms\n  n1 none\n"),
            "n0: a leaf, by draws from the root");
}

// n1 is as fast as the root, so the draws of GEN and of CONT are symmetric
// about a gain of 0: each wins half of 2,000, with a standard deviation of 22.
TEST(AbMctsGainTest, WithNoGainSeenItWidensAndDeepensAlike) {
  for (const auto& policy : {MakeAbMctsGain(), MakeAbMctsGainBeta()}) {
    auto counts = PickOften(*policy, "n0 10ms\n  n1 10ms\n", 2000);
    if (policy->Name() == "ab_mcts_gain") {
      EXPECT_NEAR(counts["n0"], 1000, 112);
      EXPECT_NEAR(counts["n1"], 1000, 112);
    } else {
      // Beta(1/2 + 1/2, 1/2 + 1/2) against Beta(1/2, 1/2), symmetric too.
      EXPECT_NEAR(counts["n0"], 1000, 112);
    }
  }
}

// Below n1 nothing but gains, of ln 8 each, and below the root none: widening
// the root has mean 0 and a deviation of some 0.1, deepening one of ln 8 4 / 5.
// Among the children n1 must beat the heavy tails of three that have one score.
TEST(AbMctsGainTest, DeepensWhereDepthGains) {
  const std::string_view tree =
      "n0 16ms\n"
      "  n1 16ms\n"
      "    n4 2ms\n"
      "    n5 2ms\n"
      "    n6 2ms\n"
      "    n7 2ms\n"
      "  n2 16ms\n"
      "  n3 16ms\n"
      "  n8 16ms\n";
  for (const auto& policy : {MakeAbMctsGain(), MakeAbMctsGainBeta()}) {
    auto counts = PickOften(*policy, tree, 500);
    EXPECT_LT(counts["n0"], 100) << policy->Name();
    EXPECT_LT(counts["n2"] + counts["n3"] + counts["n8"], 200);
  }
}

// n1 and n2 have equal scores below them, but of n2's five attempts four fail:
// p has mean 6/7 against 2/7.
TEST(AbMctsGainTest, OfEqualGainsTheOneThatPassesMoreOftenIsDescendedTo) {
  const std::string_view tree =
      "n0 16ms\n"
      "  n1 4ms\n"
      "    n3 4ms\n"
      "    n4 4ms\n"
      "    n5 4ms\n"
      "    n6 4ms\n"
      "  n2 failed\n"
      "    n7 4ms\n"
      "    n8 failed\n"
      "    n9 failed\n"
      "    n10 failed\n";
  auto counts = PickOften(*MakeAbMctsGain(), tree, 1000);
  int below_1 = counts["n1"], below_2 = counts["n2"];
  for (const char* node : {"n3", "n4", "n5", "n6"}) below_1 += counts[node];
  for (const char* node : {"n7", "n8", "n9", "n10"}) below_2 += counts[node];
  EXPECT_GT(below_1, 2 * below_2);
  EXPECT_GT(below_2, 0);
}

// The rule as a scan, for the same draws.
class AbMctsScan {
 public:
  AbMctsScan(const Tree& tree, bool beta) : tree_(tree), beta_(beta) {
    for (std::int64_t i = 0; i < tree.Size(); ++i) {
      passing_ += Passes(tree, NodeId{i});
    }
  }

  NodeId Select(RandomStream& stream) const {
    NodeId at = kRootNode;
    while (true) {
      NodeId base = at;
      while (base != kRootNode && !Passes(tree_, base)) {
        base = tree_.Parent(base);
      }
      const double score = Score(base);
      std::vector<std::pair<double, NodeId>> children;
      for (const NodeId child : tree_.Children(at)) {
        if (!IsExpandable(tree_.Node(child))) continue;
        const Results all = Below(child, 0, 99);
        children.emplace_back(-(all.sum - all.passing * score) /
                                  (2 + all.passing + all.failing + all.flights),
                              child);
      }
      if (children.empty()) return at;
      if (tree_.ChildCount(at) > 16) {
        std::sort(children.begin(), children.end());
        children.resize(std::min<std::size_t>(children.size(), 16));
      }
      const double widen = Draw(Below(at, 1, 1), score, stream);
      // By subtraction, as the index does: rounding moves draws.
      const double deepen =
          Draw(Below(at, 0, 99).Less(Below(at, 0, 0)).Less(Below(at, 1, 1)),
               score, stream);
      if (widen > deepen) return at;
      double largest = 0;
      const NodeId parent = at;
      for (const auto& [key, child] : children) {
        const double draw = Draw(Below(child, 0, 99), score, stream);
        if (at == parent || draw > largest) at = child, largest = draw;
      }
    }
  }

 private:
  struct Results {
    double passing = 0, failing = 0, flights = 0, sum = 0, squares = 0;

    Results Less(const Results& other) const {
      return {passing - other.passing, failing - other.failing,
              flights - other.flights, sum - other.sum,
              squares - other.squares};
    }
  };

  double Score(NodeId node) const {
    const double speed = Passes(tree_, node) ? LogSpeedup(tree_, node) : 0.0;
    return beta_ ? RewardOf(speed) : speed;
  }

  // Results of the subtree's nodes at these levels below its top, and attempts
  // in flight for such nodes.
  Results Below(NodeId top, int from, int to) const {
    Results results;
    for (std::int64_t i = Index(top); i < tree_.Size(); ++i) {
      const NodeId node{i};
      if (!tree_.IsWithin(node, top)) continue;
      const int level = tree_.Depth(node) - tree_.Depth(top);
      if (level + 1 >= from && level + 1 <= to) {
        results.flights += tree_.InFlight(node);
      }
      if (level < from || level > to) continue;
      if (!Passes(tree_, node)) {
        results.failing += 1;
        continue;
      }
      results.passing += 1;
      results.sum += Score(node);
      results.squares += Score(node) * Score(node);
    }
    return results;
  }

  double Draw(const Results& results, double score,
              RandomStream& stream) const {
    const double pass_chance =
        (1 + passing_) / (2 + static_cast<double>(tree_.Size()));
    const double passes = results.flights * pass_chance;
    const double fails = results.flights * (1 - pass_chance);
    const double chance =
        stream.Beta(1 + results.passing + passes, 1 + results.failing + fails);
    const double n = results.passing + passes;
    const double sum = results.sum + passes * score;
    const double squares = results.squares + passes * score * score;
    if (beta_) {
      return chance * (stream.Beta(score + sum, 1 - score + n - sum) - score);
    }
    const auto belief = NormalBelief::After(score, {n, sum, squares});
    return chance * (belief.Draw(stream) - score);
  }

  const Tree& tree_;
  bool beta_;
  double passing_ = 0;
};

// In half of them the root has so many children that these make a crowd.
TEST(AbMctsGainTest, SelectsAsAScanOfRandomTreesDoes) {
  RandomStream stream(9, Purpose::kSimulation, 0);
  for (int i = 0; i < 3000; ++i) {
    TextTree text = RandomTree(stream);
    for (std::size_t k = 1; i % 2 == 0 && k < text.nodes.size(); ++k) {
      if (Draw(stream, 2) == 0) text.nodes[k].parent = kRootNode;
    }
    for (const auto& policy : {MakeAbMctsGain(), MakeAbMctsGainBeta()}) {
      const Tree tree = BuildTree(text, *policy);
      RandomStream mine(stream.NextU64(), Purpose::kSelect, 0);
      RandomStream theirs = mine;
      const AbMctsScan scan(tree, policy->Name() == "ab_mcts_gain_beta");
      ASSERT_EQ(Label(policy->Select(tree, mine).node),
                Label(scan.Select(theirs)))
          << policy->Name() << ", tree " << i;
    }
  }
}

}  // namespace
}  // namespace coppice::search
