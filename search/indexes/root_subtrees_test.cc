#include "search/indexes/root_subtrees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "search/indexes/xei_index.h"
#include "search/random_tree.h"
#include "search/text_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

// Worth with factors that are easy to compute with: ln((1 + b) / (2 + n)) + m.
constexpr SubtreeWorth kWorth = {.improve = 0.5, .weight = 2.0, .scale = 1.0};

struct Planted {
  explicit Planted(std::string_view text) : tree(BuildTree(text)) {
    for (std::int64_t i = 0; i < tree.Size(); ++i) {
      lineage.Add(tree, NodeId{i});
      branches.OnAdd(tree, lineage, NodeId{i});
    }
    for (std::int64_t i = 0; i < tree.Size(); ++i) {
      branches.OnFlight(tree, lineage, NodeId{i});
    }
  }
  std::string Best(double c, NodeId except = kRootNode) const {
    const auto best = branches.Best(c, tree.Size(), except);
    return best ? Label(best->node) : "none";
  }
  std::string BestWithin(NodeId branch) const {
    const auto best = branches.BestWithin(branch);
    return best ? Label(*best) : "none";
  }

  Tree tree;
  Lineage lineage;
  RootSubtrees branches{kWorth};
};

TEST(RootSubtreesTest, ALoneRootHasNone) {
  const Planted planted("n0 10ms\n");
  EXPECT_EQ(planted.Best(1.0), "none");
  EXPECT_EQ(planted.BestWithin(NodeId{1}), "none");
}

// Bests: n1 ln(10/4) = 0.916 with 3 visits, n2 ln(10/5) = 0.693 with 1.  Mean
// 0.805, deviation 0.112; n = 5, ln 6 = 1.792.
//   n1  0.916 + c 0.112 sqrt(1.792 / 4) = 0.916 + 0.0747 c
//   n2  0.693 + c 0.112 sqrt(1.792 / 2) = 0.693 + 0.1056 c
// So they cross at c = 0.2231 / 0.0309 = 7.2.
TEST(RootSubtreesTest, TheBoundWeighsTheBestOfABranchAgainstItsVisits) {
  const Planted planted(
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n3 4ms\n"
      "    n4 failed\n"
      "  n2 5ms\n");
  EXPECT_EQ(planted.Best(7.0), "n1");
  EXPECT_EQ(planted.Best(7.5), "n2");
  EXPECT_EQ(planted.Best(7.0, NodeId{1}), "n2");
  EXPECT_NEAR(planted.branches.Best(1.0, 5, kRootNode)->worth, 0.991, 0.001);
}

TEST(RootSubtreesTest, AttemptsInFlightAreVisits) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "  n2 8ms\n";
  EXPECT_EQ(Planted(tree).Best(1.0), "n1");
  EXPECT_EQ(Planted("n0 10ms\n  n1 8ms +1\n  n2 8ms\n").Best(1.0), "n2");
}

// Bests 0.693 (n1) and -0.693 (n2): mean 0, deviation 0.693; so the branch n3,
// where nothing passes, counts as -0.693, and with more visits than n2 is below
// it.
TEST(RootSubtreesTest, ABranchWhereNothingPassesIsADeviationBelowTheMean) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 5ms\n"
      "  n2 20ms\n"
      "  n3 failed\n";
  EXPECT_EQ(Planted(tree).Best(1.0, NodeId{1}), "n2");  // A tie: the lower id.
  EXPECT_EQ(Planted(tree + "    n4 failed\n").Best(1.0, NodeId{1}), "n2");
  EXPECT_EQ(Planted("n0 10ms\n"
                    "  n1 5ms\n"
                    "  n2 20ms +1\n"
                    "  n3 failed\n")
                .Best(1.0, NodeId{1}),
            "n3");
}

TEST(RootSubtreesTest, WithFewerThanTwoBestsTheDeviationIsAFifth) {
  const Planted planted("n0 10ms\n  n1 failed\n");
  // 0 - 0.2 + 0.2 sqrt(ln 3 / 2) = -0.0518.
  EXPECT_NEAR(planted.branches.Best(1.0, 2, kRootNode)->worth, -0.0518, 1e-4);
}

// n1: ln((1 + 1) / (2 + 2)) + ln(10/8) = -0.693 + 0.223 = -0.470
// n2: ln((1 + 0) / (2 + 0)) + ln(10/7) = -0.693 + 0.357 = -0.336
// n3: ln(1 / 2) + ln(10/9) = -0.588.  An attempt on n2: ln(1/3) + 0.357 =
// -0.742.
TEST(RootSubtreesTest, ThePassingNodeIsWorthItsSpeedAndHowItsChildrenImprove) {
  EXPECT_EQ(Planted("n0 10ms\n"
                    "  n1 8ms\n"
                    "    n2 7ms\n"
                    "    n3 9ms\n")
                .BestWithin(NodeId{1}),
            "n2");
  EXPECT_EQ(Planted("n0 10ms\n"
                    "  n1 8ms\n"
                    "    n2 7ms +1\n"
                    "    n3 9ms\n")
                .BestWithin(NodeId{1}),
            "n1");
}

TEST(RootSubtreesTest, OfFailingNodesTheLeastRepairedIsWorthMost) {
  // n2 and n3 fail; n4 is n2's repair, so n2 is out; n3 is unrepaired.  The
  // chain of n5 mends a first hop.
  const Planted planted(
      "n0 10ms\n"
      "  n1 1000ms +99\n"  // ln(1/103) - 4.6 = -9.2, well below -3 - 4.6.
      "    n2 failed\n"
      "      n4 failed\n"
      "    n3 failed\n"
      "  n5 failed\n"
      "    n6 none\n");
  EXPECT_EQ(planted.BestWithin(NodeId{1}), "n3");
  EXPECT_EQ(planted.BestWithin(NodeId{5}), "none");
}

// Equal bests, 0.693 each, have the least variance there is: 1e-4, whose root
// is 0.01.  n = 3, ln 4 = 1.386; v = 1: 0.693 + 0.01 sqrt(1.386 / 2).
TEST(RootSubtreesTest, EqualBestsDeviateByAHundredth) {
  const Planted planted("n0 10ms\n  n1 5ms\n  n2 5ms\n");
  EXPECT_EQ(planted.Best(1.0), "n1");
  EXPECT_NEAR(planted.branches.Best(1.0, 3, kRootNode)->worth, 0.70147, 1e-5);
}

// The branches' bounds and the nodes' worths, from their definitions.
class BranchScan {
 public:
  BranchScan(const TextTree& text, SubtreeWorth worth)
      : scan_(text), worth_(worth) {
    for (const NodeId node : scan_.Where([](NodeId) { return true; })) {
      branches_[scan_.Branch(node)].push_back(node);
    }
  }

  std::map<NodeId, double> Bounds(double c, std::int64_t n) const {
    std::map<NodeId, double> bests;
    double sum = 0.0;
    for (const auto& [branch, nodes] : branches_) {
      for (const NodeId node : nodes) {
        if (!scan_.Passes(node)) continue;
        const double speed = scan_.LogSpeedup(node);
        const auto [entry, added] = bests.try_emplace(branch, speed);
        entry->second = std::max(entry->second, speed);
      }
      if (bests.contains(branch)) sum += bests[branch];
    }
    const auto count = static_cast<double>(bests.size());
    const double mean = bests.empty() ? 0.0 : sum / count;
    double variance = 0.0;
    for (const auto& [branch, best] : bests) {
      variance += (best - mean) * (best - mean) / count;
    }
    const double deviation =
        bests.size() < 2 ? 0.2 : std::max(std::sqrt(variance), 0.01);
    std::map<NodeId, double> bounds;
    for (const auto& [branch, nodes] : branches_) {
      double visits = 0.0;
      for (const NodeId node : nodes) visits += 1.0 + scan_.InFlight(node);
      const double best =
          bests.contains(branch) ? bests.at(branch) : mean - deviation;
      bounds[branch] =
          best + c * deviation *
                     std::sqrt(std::log(1.0 + static_cast<double>(n)) /
                               (1.0 + visits));
    }
    return bounds;
  }

  // The nodes of a branch that may be selected count.
  std::map<NodeId, double> Worths(NodeId branch) const {
    std::map<NodeId, double> worths;
    for (const NodeId node : branches_.at(branch)) {
      if (!scan_.IsExpandable(node)) continue;
      const double children = scan_.Attempts(node);
      if (scan_.Passes(node)) {
        double improving = 0.0;
        for (const NodeId child : scan_.Children(node)) {
          improving += scan_.Passes(child) &&
                       scan_.LogSpeedup(child) > scan_.LogSpeedup(node) + 0.01;
        }
        worths[node] = std::log((worth_.improve * worth_.weight + improving) /
                                (worth_.weight + children)) +
                       scan_.LogSpeedup(node) / worth_.scale;
      } else if (children == 0) {
        NodeId base = scan_.Parent(node);
        while (base != kRootNode && !scan_.Passes(base)) {
          base = scan_.Parent(base);
        }
        worths[node] =
            worth_.log_first_repair -
            worth_.repair_loss * scan_.FailedRepairs(node) +
            (base == kRootNode ? -worth_.hop_repair_loss
                               : scan_.LogSpeedup(base) / worth_.scale);
      }
    }
    return worths;
  }

  const std::map<NodeId, std::vector<NodeId>>& branches() const {
    return branches_;
  }

 private:
  TreeScan scan_;
  SubtreeWorth worth_;
  std::map<NodeId, std::vector<NodeId>> branches_;
};

double LargestOf(const std::map<NodeId, double>& values, NodeId except) {
  double largest = -INFINITY;
  for (const auto& [node, value] : values) {
    if (node != except) largest = std::max(largest, value);
  }
  return largest;
}

TEST(RootSubtreesTest, AgreesWithAScanHoweverAttemptsBeganAndEnded) {
  RandomStream stream(16, Purpose::kSimulation, 0);
  for (int i = 0; i < 600; ++i) {
    const TextTree text = i % 2 == 0 ? BushyTree(stream) : RandomTree(stream);
    const SubtreeWorth worth = i % 3 == 0 ? kWorth : SubtreeWorth{};
    const Tree tree = GrowTree(text, std::make_unique<XeiIndex>(worth), stream);
    const RootSubtrees& subtrees =
        static_cast<const XeiIndex&>(*tree.index()).branches();
    const BranchScan scan(text, worth);
    for (const double c : {0.0, 1.5}) {
      const auto bounds = scan.Bounds(c, tree.Size());
      for (const NodeId except : {kRootNode, NodeId{1}}) {
        const auto best = subtrees.Best(c, tree.Size(), except);
        const double largest = LargestOf(bounds, except);
        ASSERT_EQ(best.has_value(), std::isfinite(largest)) << i;
        if (!best) continue;
        ASSERT_NEAR(best->worth, largest, 1e-6) << i;
        ASSERT_NE(best->node, except);
        ASSERT_NEAR(bounds.at(best->node), largest, 1e-6) << i;
      }
    }
    for (const auto& [branch, nodes] : scan.branches()) {
      const auto worths = scan.Worths(branch);
      const auto best = subtrees.BestWithin(branch);
      ASSERT_EQ(best.has_value(), !worths.empty()) << i;
      if (best) {
        ASSERT_NEAR(worths.at(*best), LargestOf(worths, kRootNode), 1e-9) << i;
      }
    }
  }
}

}  // namespace
}  // namespace coppice::search
