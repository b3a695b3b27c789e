#include "search/policies/puct.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "search/lineage.h"
#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(PuctTest, ALoneRootIsTheFastest) {
  // 1 + 0.5 / sqrt(1) / (1 + 0).
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 0.5}), "n0 10ms\n"),
            "n0: score 1.5: rank 1, 0 visits");
}

// Ranks: n2 1, n1 2/3, n0 1/3, n3 0.  N = 4, so the bonus is c / 2 / (1 + V):
// c / 4 for n2, c / 2 for n1 (V = 0).  n1 overtakes at c = (1/3) / (1/4).
TEST(PuctTest, TheRankIsWeighedAgainstVisits) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 8ms\n"
      "  n2 5ms\n"
      "    n3 20ms\n";
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 1.3}), tree),
            "n2: score 1.32: rank 1, 1 visits");
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 1.4}), tree),
            "n1: score 1.37: rank 0.667, 0 visits");
}

TEST(PuctTest, EqualScoresShareTheLowerRank) {
  // n1 and n2 are faster than one of the two others, n0: 1 / 2.
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 0}),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "  n2 5ms\n"),
            "n1: score 0.5: rank 0.5, 0 visits");
}

TEST(PuctTest, AttemptsInFlightAreVisitsOfAllAbove) {
  // n1 and n2 are level but for the attempt on n3, a descendant of n1.
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 0.5}),
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "    n3 20ms +1\n"
                           "  n2 5ms\n"
                           "    n4 20ms\n"),
            "n2: score 0.852: rank 0.75, 1 visits");  // 0.5 / sqrt 6 / 2.
}

// n2 fails and was made from n1, whose rank is 1; the one repair so far passed:
// p = 2 / 3.  N = 5: (2/3 + c / 2.236) / (1 + V) with V = 0 for n4.  n1 has V =
// 3: 1 + c / 2.236 / 4.  They cross at c = (1/3) * 2.236 / (3/4) = 0.994.
TEST(PuctTest, AFailingNodeIsWorthTheChanceOfItsRepair) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 5ms\n"
      "    n2 failed\n"
      "      n3 20ms\n"
      "    n4 failed\n";
  EXPECT_EQ(Pick(*MakePuct({.exploration = 0.99}), tree), "n1");
  EXPECT_EQ(PickWithReason(*MakePuct({.exploration = 1.0}), tree),
            "n4: score 1.11: rank 1, 0 visits");
}

TEST(PuctTest, WhereNothingPassesTheLeastVisitedIsRepaired) {
  EXPECT_EQ(Pick(*MakePuct(),
                 "n0 failed\n"
                 "  n1 failed\n"
                 "    n3 none\n"
                 "  n2 failed\n"),
            "n2");
}

// All equally fast: n2 and n3 are the least visited.
TEST(PuctTest, OfEqualScoresTheLeastVisitedIsSelected) {
  EXPECT_EQ(Pick(*MakePuct(),
                 "n0 10ms\n"
                 "  n1 10ms +1\n"
                 "    n4 none\n"
                 "  n2 10ms\n"
                 "    n5 none\n"
                 "  n3 10ms\n"
                 "    n6 none\n"),
            "n2");
}

// The rule as a scan.
NodeId PuctScan(const Tree& tree) {
  double nodes = 0, passing = 0, repairs = 0, repaired = 0;
  const auto good = [&](NodeId node) { return Passes(tree, node); };
  for (std::int64_t i = 0; i < tree.Size(); ++i) {
    const NodeId node{i};
    nodes += 1 + tree.InFlight(node);
    passing += good(node);
    if (node == kRootNode || good(tree.Parent(node))) continue;
    repairs += 1;
    repaired += good(node);
  }
  std::optional<NodeId> best;
  double worth = 0;
  for (std::int64_t i = 0; i < tree.Size(); ++i) {
    const NodeId node{i};
    if (!IsExpandable(tree.Node(node))) continue;
    NodeId base = node;
    while (base != kRootNode && !good(base)) base = tree.Parent(base);
    const double score = good(base) ? LogSpeedup(tree, base) : 0;
    double visits = 0, slower = 0;
    for (std::int64_t k = 0; k < tree.Size(); ++k) {
      const NodeId other{k};
      if (tree.IsWithin(other, node)) {
        visits += (k == i ? 0 : 1) + tree.InFlight(other);
      }
      slower += good(other) && LogSpeedup(tree, other) < score;
    }
    double rank = passing < 2 ? 1 : slower / (passing - 1);
    if (!good(base)) rank = 0;
    const double bonus = 2.5 / std::sqrt(nodes);
    const double value =
        good(node)
            ? rank + bonus / (1 + visits)
            : ((repaired + 1) / (repairs + 2) * rank + bonus) / (1 + visits);
    if (!best || value > worth) best = node, worth = value;
  }
  return best.value_or(kRootNode);
}

TEST(PuctTest, SelectsAsAScanOfRandomTreesDoes) {
  RandomStream stream(8, Purpose::kSimulation, 0);
  const auto puct = MakePuct();
  for (int i = 0; i < 3000; ++i) {
    const Tree tree = BuildTree(RandomTree(stream), *puct);
    RandomStream unused(1, Purpose::kSelect, 0);
    ASSERT_EQ(Label(puct->Select(tree, unused).node), Label(PuctScan(tree)))
        << "tree " << i;
  }
}

}  // namespace
}  // namespace coppice::search
