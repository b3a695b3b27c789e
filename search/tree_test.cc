#include "search/tree.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

constexpr std::string_view kFamily =
    "n0 10ms\n"
    "  n1 8ms\n"
    "    n3 failed\n"
    "    n4 6ms\n"
    "      n6 7ms\n"
    "  n2 compile_failed\n"
    "    n5 9ms\n";

TEST(TreeTest, AnEmptyTreeHasNothing) {
  const Tree tree({});
  EXPECT_EQ(tree.Size(), 0);
  EXPECT_EQ(tree.Best(), std::nullopt);
  EXPECT_EQ(tree.BestEligible(), std::nullopt);
  EXPECT_EQ(tree.Eligible().Count(), 0);
}

TEST(TreeTest, ChildrenComeInCommitOrder) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_EQ(Labels(tree.Children(kRootNode)), "n1 n2");
  EXPECT_EQ(Labels(tree.Children(NodeId{1})), "n3 n4");
  EXPECT_EQ(Labels(tree.Children(NodeId{6})), "");
  EXPECT_EQ(tree.Parent(NodeId{6}), NodeId{4});
  EXPECT_EQ(tree.ChildCount(NodeId{1}), 2);
  EXPECT_EQ(tree.FailingChildCount(NodeId{1}), 1);
}

TEST(TreeTest, TheDepthOfANodeIsHowManyAreAboveIt) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_EQ(tree.Depth(kRootNode), 0);
  EXPECT_EQ(tree.Depth(NodeId{6}), 3);
}

TEST(TreeTest, BestIsTheFastestPassingAndOfEqualsTheFirst) {
  EXPECT_EQ(BuildTree(kFamily).Best(), NodeId{4});
  EXPECT_EQ(BuildTree("n0 5ms\n  n1 5ms\n").Best(), NodeId{0});
  EXPECT_EQ(BuildTree("n0 failed\n").Best(), std::nullopt);
}

TEST(TreeTest, ANodeIsWithinItselfAndItsAncestors) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_TRUE(tree.IsWithin(NodeId{6}, NodeId{6}));
  EXPECT_TRUE(tree.IsWithin(NodeId{6}, NodeId{1}));
  EXPECT_TRUE(tree.IsWithin(NodeId{6}, kRootNode));
  EXPECT_FALSE(tree.IsWithin(NodeId{6}, NodeId{2}));
  EXPECT_FALSE(tree.IsWithin(NodeId{5}, NodeId{4}));
  EXPECT_FALSE(tree.IsWithin(NodeId{1}, NodeId{6}));
}

// A chain of 1,000 has jumps of every length up to 511.
TEST(TreeTest, AncestryHoldsAtEveryDistanceOfAChain) {
  Tree tree({});
  for (int i = 0; i < 1000; ++i) {
    NodeSummary node{.id = NodeId{i},
                     .parent = std::nullopt,
                     .verdict = Verdict::kCrashed,
                     .runtime_s = std::nullopt,
                     .kernel_hash = 1};
    if (i > 0) node.parent = NodeId{i - 1};
    tree.Add(node);
  }
  for (int i = 0; i < 1000; i += 7) {
    for (int j = 0; j < 1000; j += 11) {
      ASSERT_EQ(tree.IsWithin(NodeId{i}, NodeId{j}), i >= j);
    }
  }
}

TEST(TreeTest, LeadersAreTheFastestOutsideTheSubtreeAndNeverTheRoot) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_EQ(Labels(tree.Leaders(NodeId{3}, 2)), "n4 n6");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{3}, 9)), "n4 n6 n1 n5");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{4}, 9)), "n1 n5");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{1}, 9)), "n5");
  EXPECT_EQ(Labels(tree.Leaders(kRootNode, 9)), "");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{3}, 0)), "");
}

// From the fastest: n4, n6, n1, n5, n0.  The first two are n4's own line.
TEST(TreeTest, LeadersAmongTheBestAreOutsideTheSubtree) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{3}, 2)), "n4 n6");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{4}, 2)), "");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{3}, 99)),
            Labels(tree.Leaders(NodeId{3}, 99)));
  EXPECT_EQ(Labels(tree.LeadersAmong(kRootNode, 9)), "");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{3}, 0)), "");
}

TEST(TreeTest, TheRootHasAPlaceOnTheBoard) {
  const Tree tree = BuildTree("n0 2ms\n  n1 1ms\n  n2 3ms\n  n3 failed\n");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{3}, 2)), "n1");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{1}, 2)), "");
  EXPECT_EQ(Labels(tree.LeadersAmong(NodeId{1}, 3)), "n2");
}

TEST(TreeTest, LeadersAreDistinctInSource) {
  const Tree tree = BuildTree(
      "n0 10ms\n"
      "  n1 4ms =a\n"
      "  n2 3ms =a\n"
      "  n3 5ms =b\n"
      "  n4 5ms =b\n"
      "  n5 6ms =c\n");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{5}, 9)), "n2 n3");
  // Outside n2, its twin n1 speaks for their source.
  EXPECT_EQ(Labels(tree.Leaders(NodeId{2}, 9)), "n1 n3 n5");
}

TEST(TreeTest, TheRootsOwnSourceMayLeadAgainFromAnotherNode) {
  const Tree tree = BuildTree("n0 10ms =a\n  n1 9ms =a\n  n2 failed\n");
  EXPECT_EQ(Labels(tree.Leaders(NodeId{2}, 9)), "n1");
}

TEST(TreeTest, EverySelectableNodeIsEligibleWithoutARule) {
  const Tree tree = BuildTree(kFamily);
  EXPECT_EQ(Labels(tree.Eligible()), "n0 n1 n2 n3 n4 n5 n6");
  EXPECT_EQ(Labels(tree.EligibleLeaves()), "n3 n5 n6");
  EXPECT_EQ(Labels(tree.EligibleFailing()), "n2 n3");
  EXPECT_EQ(tree.BestEligible(), NodeId{4});
}

TEST(TreeTest, ANodeWithoutACandidateIsAFailingChildButNotEligible) {
  const Tree tree = BuildTree("n0 10ms\n  n1 none\n");
  EXPECT_EQ(Labels(tree.Eligible()), "n0");
  EXPECT_EQ(tree.EligibleLeaves().Count(), 0);
  EXPECT_EQ(tree.FailingChildCount(kRootNode), 1);
}

TEST(TreeTest, AnInconclusiveNodeFailsNothingAndWaits) {
  const Tree tree = BuildTree("n0 10ms\n  n1 inconclusive\n");
  EXPECT_EQ(Labels(tree.Eligible()), "n0");
  EXPECT_EQ(tree.FailingChildCount(kRootNode), 0);
}

TEST(TreeTest, TheSecondOfEqualTokensIsNoPlaceToGoOn) {
  TextTree text = ParseTree("n0 10ms\n  n1 5ms\n  n2 5ms\n");
  text.nodes[2].is_repeat = true;
  const Tree tree = BuildTree(text, Eligibility{});
  EXPECT_EQ(Labels(tree.Eligible()), "n0 n1");
}

TEST(TreeTest, TheThrottleClosesTheRootAtItsLimit) {
  const Eligibility rule{.max_root_children = 2};
  EXPECT_EQ(BuildTree("n0 1ms\n  n1 2ms\n", rule).BestEligible(), NodeId{0});
  EXPECT_EQ(BuildTree("n0 1ms\n  n1 2ms\n  n2 3ms\n", rule).BestEligible(),
            NodeId{1});
}

TEST(TreeTest, TheThrottleCountsAttemptsInFlightAndReopensWhenTheyVanish) {
  Tree tree = BuildTree("n0 1ms\n  n1 2ms\n", {.max_root_children = 2});
  tree.BeginAttempt(kRootNode);
  EXPECT_EQ(tree.InFlight(kRootNode), 1);
  EXPECT_EQ(tree.BestEligible(), NodeId{1});
  tree.EndAttempt(kRootNode);
  EXPECT_EQ(tree.InFlight(kRootNode), 0);
  EXPECT_EQ(tree.BestEligible(), NodeId{0});
}

TEST(TreeTest, ANodeWithAnAttemptInFlightIsNoLeaf) {
  Tree tree = BuildTree("n0 1ms\n  n1 2ms\n  n2 3ms\n");
  tree.BeginAttempt(NodeId{1});
  tree.BeginAttempt(NodeId{1});
  EXPECT_EQ(Labels(tree.EligibleLeaves()), "n2");
  tree.EndAttempt(NodeId{1});
  EXPECT_EQ(Labels(tree.EligibleLeaves()), "n2");
  tree.EndAttempt(NodeId{1});
  EXPECT_EQ(Labels(tree.EligibleLeaves()), "n1 n2");
}

// max_failing_children 3: the fourth failing child closes n1; a passing one,
// though the tree could only get it from an attempt begun before, reopens it.
TEST(TreeTest, ABranchIsDeadAboveTheLimitAndRevivesWithAPassingChild) {
  const std::string three =
      "n0 9ms\n"
      "  n1 8ms\n"
      "    n2 failed\n"
      "    n3 none\n"
      "    n4 crashed\n";
  const Eligibility rule{.max_failing_children = 3};
  EXPECT_TRUE(BuildTree(three, rule).Eligible().Contains(NodeId{1}));

  Tree tree = BuildTree(three + "    n5 timed_out\n", rule);
  EXPECT_FALSE(tree.Eligible().Contains(NodeId{1}));
  EXPECT_EQ(tree.BestEligible(), NodeId{0});
  tree.Add({NodeId{6}, NodeId{1}, Verdict::kPassed, 7.5e-3, 66});
  EXPECT_TRUE(tree.Eligible().Contains(NodeId{1}));
  EXPECT_EQ(tree.BestEligible(), NodeId{6});
}

TEST(TreeTest, PruningCountsNoAttemptInFlight) {
  const Tree tree = BuildTree(
      "n0 9ms\n"
      "  n1 8ms +5\n"
      "    n2 failed\n"
      "    n3 failed\n"
      "    n4 failed\n",
      {.max_failing_children = 3});
  EXPECT_TRUE(tree.Eligible().Contains(NodeId{1}));
}

TEST(TreeTest, PruningAppliesToTheRootToo) {
  const Tree tree =
      BuildTree("n0 9ms\n  n1 failed\n  n2 failed\n  n3 failed\n  n4 failed\n",
                {.max_failing_children = 3});
  EXPECT_FALSE(tree.Eligible().Contains(kRootNode));
  EXPECT_EQ(Labels(tree.Eligible()), "n1 n2 n3 n4");
}

}  // namespace
}  // namespace coppice::search
