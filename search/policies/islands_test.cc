#include "search/policies/islands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/tree_scan.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

// Two islands and no debugging: the branches of n1 and n3 on island 0, that of
// n2 on island 1.  By default no migration.
IslandsOptions Two() {
  return {.islands = 2,
          .drafts = 1,
          .debug_share = 0.0,
          .explore_share = 1.0,
          .archive_share = 0.0,
          .generation = 1000};
}

constexpr std::string_view kTwo =
    "n0 10ms\n"
    "  n1 9ms\n"
    "    n4 8ms\n"
    "  n2 7ms\n"
    "  n3 failed\n";

std::string WithFlights(int flights) {
  std::string tree(kTwo);
  if (flights > 0) tree.insert(7, " +" + std::to_string(flights));
  return tree;
}

// Five nodes: island 1's turn; with an attempt in flight, island 0's.
TEST(IslandsTest, TakeTurnsByNodesAndAttemptsInFlight) {
  const auto policy = MakeIslands(Two());
  EXPECT_EQ(PickWithReason(*policy, WithFlights(0)),
            "n2: improve: uniform over 1 passing nodes of island 1");
  auto counts = PickOften(*policy, WithFlights(1), 1000);
  // 500 each, standard deviation 16.
  EXPECT_NEAR(counts["n1"], 500, 80);
  EXPECT_NEAR(counts["n4"], 500, 80);
  EXPECT_EQ(Pick(*policy, WithFlights(2)), "n2");
}

TEST(IslandsTest, AnIslandWhereNothingPassesDrafts) {
  EXPECT_EQ(
      PickWithReason(*MakeIslands(Two()), "n0 9ms\n  n1 8ms\n  n2 none\n"),
      "n0: draft: nothing passes on island 1");
}

// The elite is three of four: n5 is the slowest.
TEST(IslandsTest, TheArchiveIsTheElite) {
  auto options = Two();
  options.islands = 1;
  options.explore_share = 0.0;
  options.archive_share = 1.0;
  auto counts = PickOften(*MakeIslands(options),
                          "n0 10ms\n"
                          "  n1 9ms\n"
                          "    n2 8ms\n"
                          "    n3 7ms\n"
                          "    n4 failed\n"
                          "    n5 9.5ms\n",
                          300);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_EQ(counts["n5"] + counts["n4"], 0);
}

TEST(IslandsTest, TheRestGoesToAllIslands) {
  auto options = Two();
  options.explore_share = 0.0;
  auto counts = PickOften(*MakeIslands(options), WithFlights(0), 300);
  EXPECT_EQ(counts.size(), 3u);
}

// The second commit on island 0, n4's, is its second generation of one, and
// n1, n4 go to island 1; n2 came after the first and goes then too.
TEST(IslandsTest, MigrantsArriveAtBothNeighboursAndGoNoFurther) {
  auto options = Two();
  options.islands = 3;
  options.generation = 2;
  const auto policy = MakeIslands(options);
  const std::string tree =
      "n0 10ms\n"
      "  n1 9ms\n"
      "    n4 8ms\n"
      "  n2 7ms\n"
      "  n3 failed\n";
  // Island 2 holds but a failing branch.  Five nodes and no attempt: its turn.
  auto counts = PickOften(*policy, tree, 300);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_GT(counts["n1"], 0);
  EXPECT_GT(counts["n2"], 0);
  EXPECT_GT(counts["n4"], 0);
}

// By sorting anew at every commit.
struct PlainIsland {
  std::vector<NodeId> passing;
  std::set<NodeId> migrated;
  int commits = 0;
};

std::vector<NodeId> PlainTopShare(const TreeScan& scan,
                                  std::vector<NodeId> passing) {
  std::sort(passing.begin(), passing.end(),
            [&](NodeId a, NodeId b) { return scan.IsFaster(a, b); });
  passing.resize(
      std::min(passing.size(), std::max<std::size_t>(3, passing.size() / 10)));
  std::sort(passing.begin(), passing.end());
  return passing;
}

std::vector<PlainIsland> PlainArchipelago(const TreeScan& scan,
                                          std::size_t islands, int generation) {
  std::vector<PlainIsland> plain(islands);
  const std::vector<NodeId> first_hops = scan.Children(kRootNode);
  const auto home = [&](NodeId node) {
    const auto hop =
        std::find(first_hops.begin(), first_hops.end(), scan.Branch(node));
    return static_cast<std::size_t>(hop - first_hops.begin()) % islands;
  };
  int generations = 0;
  for (const NodeId node : scan.Nodes()) {
    if (node == kRootNode) continue;
    PlainIsland& island = plain[home(node)];
    if (scan.Passes(node)) island.passing.push_back(node);
    if (++island.commits <= generation * generations + generation - 1) continue;
    ++generations;
    const std::vector<PlainIsland> before = plain;
    for (std::size_t from = 0; from < islands; ++from) {
      for (const NodeId leaver : PlainTopShare(scan, before[from].passing)) {
        if (home(leaver) != from || before[from].migrated.contains(leaver)) {
          continue;
        }
        plain[from].migrated.insert(leaver);
        for (const std::size_t to :
             std::set{(from + 1) % islands, (from + islands - 1) % islands}) {
          if (to != from) plain[to].passing.push_back(leaver);
        }
      }
    }
  }
  for (PlainIsland& island : plain) {
    std::sort(island.passing.begin(), island.passing.end());
  }
  return plain;
}

TEST(IslandsTest, SelectAsAScan) {
  for (const int islands : {1, 2, 3}) {
    const IslandsOptions options{
        .islands = islands, .drafts = 2, .generation = 3};
    const auto by_scan = [&](const TreeScan& scan, RandomStream& stream) {
      if (scan.Attempts(kRootNode) < 2) return kRootNode;
      const std::vector<NodeId> failing = scan.DebugLeaves(2);
      if (stream.Uniform() < 0.5 && !failing.empty()) {
        return DrawOne(failing, stream);
      }
      const std::vector<PlainIsland> plain =
          PlainArchipelago(scan, static_cast<std::size_t>(islands), 3);
      int turn = static_cast<int>(scan.Nodes().size());
      for (const NodeId node : scan.Nodes()) turn += scan.InFlight(node);
      const PlainIsland& island =
          plain[static_cast<std::size_t>(turn % islands)];
      if (island.passing.empty()) return kRootNode;
      const double draw = stream.Uniform();
      if (draw < 0.2) return DrawOne(island.passing, stream);
      if (draw < 0.2 + 0.7) {
        return DrawOne(PlainTopShare(scan, island.passing), stream);
      }
      return DrawOne(scan.Passing(), stream);
    };
    EXPECT_EQ(FirstDifference(*MakeIslands(options), by_scan), "");
  }
}

}  // namespace
}  // namespace coppice::search
