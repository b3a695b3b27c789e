#include "search/map_elites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "search/tree_scan.h"

namespace coppice::search {
namespace {

MapElitesOptions OnlyCells() {
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
TEST(MapElitesTest, ImprovesTheFastestOfAUniformOccupiedCell) {
  auto options = OnlyCells();
  options.depths = 2;
  options.branches = 2;
  const auto policy = MakeMapElites(options);
  auto counts = PickOften(*policy, kGrid, 3000);
  EXPECT_NEAR(counts["n4"], 1000, 130);
  EXPECT_NEAR(counts["n2"], 1000, 130);
  EXPECT_NEAR(counts["n3"], 1000, 130);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(PickWithReason(*policy, kGrid)
                  .ends_with("ms, fastest of one of 3 occupied cells"));
}

TEST(MapElitesTest, OfEquallyFastNodesTheOlderKeepsTheCell) {
  auto options = OnlyCells();
  options.branches = 1;
  EXPECT_EQ(Pick(*MakeMapElites(options), "n0 9ms\n  n1 8ms\n  n2 8ms\n"),
            "n1");
}

TEST(MapElitesTest, SharesDebugAndImproveTheFastest) {
  auto options = OnlyCells();
  options.fastest_share = 1.0;
  EXPECT_EQ(PickWithReason(*MakeMapElites(options), kGrid),
            "n3: improve: lowest runtime 7 ms");
  options.debug_share = 1.0;
  EXPECT_EQ(Pick(*MakeMapElites(options), kGrid), "n6");
  options.drafts = 4;
  EXPECT_EQ(Pick(*MakeMapElites(options), kGrid), "n0");
}

TEST(MapElitesTest, DraftsIfNothingPasses) {
  EXPECT_EQ(Pick(*MakeMapElites(OnlyCells()), "n0 9ms\n  n1 none\n"), "n0");
}

TEST(MapElitesTest, SelectsAsAScan) {
  const MapElitesOptions options{.drafts = 3, .depths = 3, .branches = 2};
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
  EXPECT_EQ(FirstDifference(*MakeMapElites(options), by_scan), "");
}

}  // namespace
}  // namespace coppice::search
