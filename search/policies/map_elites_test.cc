#include "search/policies/map_elites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/tree.h"
#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

MapElitesDepthOptions OnlyCells() {
  return {.drafts = 1, .debug_share = 0.0, .fastest_share = 0.0};
}

// With two rows and two columns: depth 1 has n1 and n4 in column 0 (first hops
// 0 and 2) and n2 in column 1; depths from 2 on have n3, n5 and n6 in column 0.
constexpr std::string_view kGrid =
    "n0 10ms\n"
    "  n1 9ms\n"
    "    n3 7ms\n"
    "      n5 8ms\n"
    "  n2 12ms\n"
    "  n4 8ms\n"
    "    n6 failed\n";

// The elites are n4, n2 and n3, 1,000 of 3,000 each: standard deviation 26.
TEST(MapElitesDepthTest, ImprovesTheFastestOfAUniformOccupiedCell) {
  auto options = OnlyCells();
  options.depths = 2;
  options.branches = 2;
  const auto policy = MakeMapElitesDepth(options);
  auto counts = PickOften(*policy, kGrid, 3000);
  EXPECT_NEAR(counts["n4"], 1000, 130);
  EXPECT_NEAR(counts["n2"], 1000, 130);
  EXPECT_NEAR(counts["n3"], 1000, 130);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(PickWithReason(*policy, kGrid)
                  .ends_with("ms, fastest of one of 3 occupied cells"));
}

TEST(MapElitesDepthTest, OfEquallyFastNodesTheOlderKeepsTheCell) {
  auto options = OnlyCells();
  options.branches = 1;
  EXPECT_EQ(Pick(*MakeMapElitesDepth(options), "n0 9ms\n  n1 8ms\n  n2 8ms\n"),
            "n1");
}

TEST(MapElitesDepthTest, SharesDebugAndImproveTheFastest) {
  auto options = OnlyCells();
  options.fastest_share = 1.0;
  EXPECT_EQ(PickWithReason(*MakeMapElitesDepth(options), kGrid),
            "n3: improve: lowest runtime 7 ms");
  options.debug_share = 1.0;
  EXPECT_EQ(Pick(*MakeMapElitesDepth(options), kGrid), "n6");
  options.drafts = 4;
  EXPECT_EQ(Pick(*MakeMapElitesDepth(options), kGrid), "n0");
}

TEST(MapElitesDepthTest, DraftsIfNothingPasses) {
  EXPECT_EQ(Pick(*MakeMapElitesDepth(OnlyCells()), "n0 9ms\n  n1 none\n"),
            "n0");
}

TEST(MapElitesDepthTest, SelectsAsAScan) {
  const MapElitesDepthOptions options{.drafts = 3, .depths = 3, .branches = 2};
  const auto by_scan = [&](const TreeScan& scan, RandomStream& stream) {
    if (scan.Attempts(kRootNode) < 3) return kRootNode;
    const std::vector<NodeId> failing = scan.DebugLeaves(2);
    if (stream.Uniform() < 0.3 && !failing.empty()) {
      return DrawOne(failing, stream);
    }
    const std::vector<NodeId> first_hops = scan.Children(kRootNode);
    std::map<std::pair<int, std::ptrdiff_t>, NodeId> cells;
    for (const NodeId node : scan.Passing()) {
      const auto hop =
          std::find(first_hops.begin(), first_hops.end(), scan.Branch(node));
      const auto [cell, empty] =
          cells.emplace(std::pair(std::min(scan.Depth(node), 3),
                                  (hop - first_hops.begin()) % 2),
                        node);
      if (scan.IsFaster(node, cell->second)) cell->second = node;
    }
    if (stream.Uniform() < 0.6 || cells.empty()) {
      return scan.Fastest(scan.Passing()).value_or(kRootNode);
    }
    std::vector<NodeId> elites;
    for (const auto& [cell, elite] : cells) elites.push_back(elite);
    return DrawOne(elites, stream);
  };
  EXPECT_EQ(FirstDifference(*MakeMapElitesDepth(options), by_scan), "");
}

// Limit and family of nodes 1, 2, ...
TextTree WithBehaviours(std::string_view text,
                        const std::vector<Behaviour>& behaviours) {
  TextTree tree = ParseTree(text);
  for (std::size_t i = 0; i < behaviours.size(); ++i) {
    tree.nodes.at(i + 1).behaviour = behaviours[i];
  }
  return tree;
}

// Nodes 1 and 3 are both bound by memory and of loops, node 3 is the faster;
// node 2 is alike but for its family, node 4 but for its limit.  Node 5, which
// failed, and node 6, a repeat, are in no cell.  3,000 / 3 each: standard
// deviation 26.
TEST(MapElitesTest, ACellIsOfALimitAndAFamily) {
  TextTree tree = WithBehaviours(
      "n0 10ms\n  n1 9ms\n    n3 7ms\n  n2 12ms =b\n  n4 8ms\n"
      "  n5 failed\n  n6 12ms =b\n",
      {{Limit::kMemory, TechniqueFamily::kLoops},
       {Limit::kMemory, TechniqueFamily::kVectors},
       {Limit::kMemory, TechniqueFamily::kLoops},
       {Limit::kLatency, TechniqueFamily::kLoops},
       {Limit::kUnknown, TechniqueFamily::kFusion},
       {Limit::kCompute, TechniqueFamily::kFusion}});
  tree.nodes[6].is_repeat = true;
  const auto policy =
      MakeMapElites({.drafts = 1, .debug_share = 0.0, .fastest_share = 0.0});
  const Tree built = BuildTree(tree, *policy);
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    RandomStream stream(seed, Purpose::kSelect, 0);
    const Selection selection = policy->Select(built, stream);
    ++counts[Label(selection.node) + ": " + selection.reason];
  }
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_NEAR(counts["n3: improve: 7 ms, fastest of limit memory, technique "
                     "loops: one of 3 occupied cells"],
              1000, 130);
  EXPECT_NEAR(counts["n2: improve: 12 ms, fastest of limit memory, technique "
                     "vectors: one of 3 occupied cells"],
              1000, 130);
  EXPECT_NEAR(counts["n4: improve: 8 ms, fastest of limit latency, technique "
                     "loops: one of 3 occupied cells"],
              1000, 130);
}

TEST(MapElitesTest, FilesOfBeforeMeanCellsOfDepth) {
  EXPECT_EQ(MakePolicy("map_elites").value()->Name(), "map_elites_behaviour");
  EXPECT_EQ(MakePolicy("map_elites:drafts=3").value()->Name(),
            "map_elites_behaviour:drafts=3");
  EXPECT_EQ(MakeStoredPolicy("map_elites").value()->Name(), "map_elites_depth");
  EXPECT_EQ(MakeStoredPolicy("map_elites:depths=3").value()->Name(),
            "map_elites_depth:depths=3");
  EXPECT_EQ(MakeStoredPolicy("map_elites_behaviour").value()->Name(),
            "map_elites_behaviour");
}

}  // namespace
}  // namespace coppice::search
