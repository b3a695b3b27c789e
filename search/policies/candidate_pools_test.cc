#include "search/policies/candidate_pools.h"

#include <gtest/gtest.h>

#include "search/random_tree.h"
#include "search/tree_scan.h"

namespace coppice::search {
namespace {

Tree TreeWithPools(const TextTree& text, int max_failed_repairs) {
  Tree tree({}, std::make_unique<CandidatePools>(max_failed_repairs));
  for (const NodeSummary& node : text.nodes) tree.Add(node);
  for (const auto& [node, attempts] : text.in_flight) {
    for (int i = 0; i < attempts; ++i) tree.BeginAttempt(node);
  }
  return tree;
}

const CandidatePools& CandidatePoolsOf(const Tree& tree) {
  return static_cast<const CandidatePools&>(*tree.index());
}

// n6 is the second repair of n4; n7 holds no candidate; on n2 is an attempt.
constexpr std::string_view kPooled =
    "n0 10ms\n"
    "  n1 9ms\n"
    "    n3 8ms\n"
    "    n4 failed\n"
    "      n5 failed\n"
    "        n6 failed\n"
    "    n7 none\n"
    "    n8 compile_failed\n"
    "  n2 8ms +1\n";

TEST(CandidatePoolsTest, TheRootIsInNone) {
  const Tree tree = TreeWithPools(ParseTree("n0 failed\n"), 2);
  EXPECT_FALSE(CandidatePoolsOf(tree).Fastest());
  EXPECT_EQ(CandidatePoolsOf(tree).Passing().Count(), 0);
  EXPECT_EQ(CandidatePoolsOf(tree).DebugLeaves().Count(), 0);
}

TEST(CandidatePoolsTest, LeavesHaveNeitherChildNorAttempt) {
  const Tree tree = TreeWithPools(ParseTree(kPooled), 2);
  const CandidatePools& pools = CandidatePoolsOf(tree);
  EXPECT_EQ(Labels(pools.Passing()), "n1 n2 n3");
  EXPECT_EQ(Labels(pools.PassingLeaves()), "n3");
  EXPECT_EQ(Labels(pools.DebugLeaves()), "n6 n8");
  EXPECT_EQ(pools.Fastest(), NodeId{2});  // As fast as n3, and older.
}

TEST(CandidatePoolsTest, ALeafWithTooManyFailedRepairsIsGivenUp) {
  const Tree tree = TreeWithPools(ParseTree(kPooled), 1);
  EXPECT_EQ(Labels(CandidatePoolsOf(tree).DebugLeaves()), "n8");
}

TEST(CandidatePoolsTest, AFailingNodePromisesWhatItWasMadeFrom) {
  const Tree tree = TreeWithPools(ParseTree(kPooled), 2);
  const Lineage& lineage = CandidatePoolsOf(tree).Descents();
  EXPECT_DOUBLE_EQ(Promise(tree, lineage, NodeId{6}),
                   LogSpeedup(tree, NodeId{1}));
  EXPECT_DOUBLE_EQ(Promise(tree, lineage, NodeId{3}),
                   LogSpeedup(tree, NodeId{3}));
}

TEST(CandidatePoolsTest, BelowAFailingRootAFailingNodePromisesNothing) {
  const Tree tree = TreeWithPools(ParseTree("n0 failed\n  n1 failed\n"), 2);
  EXPECT_EQ(Promise(tree, CandidatePoolsOf(tree).Descents(), NodeId{1}), 0.0);
  EXPECT_EQ(Promise(tree, CandidatePoolsOf(tree).Descents(), kRootNode), 0.0);
}

TEST(CandidatePoolsTest, DraftsCountAttemptsInFlight) {
  const Tree tree = TreeWithPools(ParseTree("n0 1ms +2\n  n1 failed\n"), 2);
  EXPECT_EQ(SelectDraft(tree, 4)->reason, "draft: 3 of 4 are begun");
  EXPECT_FALSE(SelectDraft(tree, 3));
}

TEST(CandidatePoolsTest, AgreeWithScans) {
  RandomStream stream(15, Purpose::kSimulation, 0);
  for (int i = 0; i < 2000; ++i) {
    const TextTree text = RandomTree(stream);
    const Tree tree = TreeWithPools(text, 1);
    const CandidatePools& pools = CandidatePoolsOf(tree);
    const TreeScan scan(text);
    ASSERT_EQ(Labels(pools.Passing()), Labels(scan.Passing()));
    ASSERT_EQ(Labels(pools.PassingLeaves()), Labels(scan.PassingLeaves()));
    ASSERT_EQ(Labels(pools.DebugLeaves()), Labels(scan.DebugLeaves(1)));
    ASSERT_EQ(pools.Fastest(), scan.Fastest(scan.Passing()));
    for (const NodeId node : scan.Nodes()) {
      ASSERT_DOUBLE_EQ(Promise(tree, pools.Descents(), node),
                       scan.Promise(node));
    }
  }
}

}  // namespace
}  // namespace coppice::search
