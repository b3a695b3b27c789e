#include "search/indexes/root_subtrees.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/text_tree.h"

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

}  // namespace
}  // namespace coppice::search
