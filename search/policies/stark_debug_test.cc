#include "search/policies/stark_debug.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "search/tree_scan.h"
#include "store/records/random.h"
#include "store/records/verdict.h"

namespace coppice::search {
namespace {

TEST(StarkDebugTest, ThrottlesAndPrunesLikeStark) {
  const Eligibility rule = MakeStarkDebug()->Rule();
  EXPECT_EQ(rule.max_root_children, 5);
  EXPECT_EQ(rule.max_failing_children, 3);
}

// n1 leads n2 by ln(9 / 8) = 0.118.  Three children that do not improve cost
// one penalty, 0.1; a fourth, here in flight, another.
TEST(StarkDebugTest, LeavesANodeThatNoLongerImproves) {
  const std::string three =
      "n0 10ms\n"
      "  n1 8ms\n"
      "    n3 9ms\n"
      "    n4 failed\n"
      "    n5 9.5ms\n"
      "  n2 9ms\n";
  const auto policy = MakeStarkDebug({.epsilon = 0.0, .stale_penalty = 0.1});
  EXPECT_EQ(PickWithReason(*policy, three),
            "n1: exploit: 8 ms, 3 attempts since it was improved on");
  std::string four = three;
  four.replace(four.find("n1 8ms"), 6, "n1 8ms +1");
  EXPECT_EQ(Pick(*policy, four), "n2");
}

TEST(StarkDebugTest, AnImprovementFreshensANode) {
  const auto policy = MakeStarkDebug(
      {.epsilon = 0.0, .stale_children = 1, .stale_penalty = 0.2});
  // n1 would lose 0.4 to n2, but n4 improves on it and is itself the best.
  EXPECT_EQ(PickWithReason(*policy,
                           "n0 10ms\n"
                           "  n1 8ms\n"
                           "    n3 failed\n"
                           "    n4 7.9ms\n"
                           "    n5 none +9\n"
                           "  n2 9ms\n"),
            "n4: exploit: 7.9 ms, 0 attempts since it was improved on");
}

TEST(StarkDebugTest, TheRootIsNeverPenalised) {
  const auto policy = MakeStarkDebug({.epsilon = 0.0});
  EXPECT_EQ(Pick(*policy, "n0 8ms\n  n1 9ms\n  n2 9ms\n  n3 9ms\n  n4 9ms\n"),
            "n0");
}

// n4 and n5 are made from n2, the faster; n6 has failed two repairs too many.
TEST(StarkDebugTest, ExploringDebugsWhatWasMadeFromTheFastest) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 9ms\n"
      "    n3 failed\n"
      "  n2 8ms\n"
      "    n4 failed\n"
      "    n5 failed\n";
  const auto policy = MakeStarkDebug({.epsilon = 1.0, .debug_share = 1.0});
  EXPECT_EQ(PickWithReason(*policy, tree),
            "n4: explore: made from the fastest, of 3 failing leaves");
}

// Leaves n2 and n3; n3 wins unless all three draws are n2: 7/8 of 4,000,
// standard deviation 21.
TEST(StarkDebugTest, ExploringImprovesTheFasterOfAFewLeaves) {
  const auto policy = MakeStarkDebug({.epsilon = 1.0, .debug_share = 0.0});
  auto counts =
      PickOften(*policy, "n0 10ms\n  n1 7ms\n    n2 9ms\n    n3 8ms\n", 4000);
  EXPECT_NEAR(counts["n3"], 3500, 105);
  EXPECT_NEAR(counts["n2"], 500, 105);
}

TEST(StarkDebugTest, ExploitsIfExploringFindsNoLeaf) {
  const auto policy = MakeStarkDebug({.epsilon = 1.0});
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 8ms +1\n"), "n1");
  EXPECT_EQ(Pick(*policy, "n0 failed\n"), "n0");
}

TEST(StarkDebugTest, SelectsAsAScan) {
  const StarkDebugOptions options{
      .n_root = 4, .n_child = 2, .stale_children = 2};
  const auto eligible = [&](const TreeScan& scan, NodeId node) {
    if (!scan.IsExpandable(node)) return false;
    if (node == kRootNode && scan.Attempts(node) >= 4) return false;
    const std::vector<NodeId> children = scan.Children(node);
    return children.size() <= 2 ||
           std::any_of(children.begin(), children.end(), [&](NodeId child) {
             return scan.Passes(child) ||
                    scan.Node(child).verdict == Verdict::kInconclusive;
           });
  };
  const auto select = [&](const TreeScan& scan, RandomStream& stream) {
    if (stream.Uniform() < options.epsilon) {
      const auto failing = TreeScan::Best(
          scan.DebugLeaves(2), [&](NodeId node) { return scan.Promise(node); });
      if (stream.Uniform() < options.debug_share && failing) return *failing;
      const std::vector<NodeId> leaves = scan.PassingLeaves();
      if (!leaves.empty()) {
        return scan.Tournament(leaves, leaves.size(), 3, stream);
      }
    }
    std::vector<NodeId> passing, failing;
    for (const NodeId node : scan.Nodes()) {
      if (!eligible(scan, node)) continue;
      (scan.Passes(node) ? passing : failing).push_back(node);
    }
    const auto best = TreeScan::Best(passing, [&](NodeId node) {
      const int stale =
          node == kRootNode ? 0 : scan.AttemptsSinceImproved(node);
      return scan.LogSpeedup(node) -
             options.stale_penalty * std::max(0, stale - 1);
    });
    if (best) return *best;
    return failing.empty() ? kRootNode : DrawOne(failing, stream);
  };
  EXPECT_EQ(FirstDifference(*MakeStarkDebug(options), select), "");
}

}  // namespace
}  // namespace coppice::search
