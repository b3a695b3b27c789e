#include "search/indexes/pending_changes.h"

#include <gtest/gtest.h>

#include <vector>

#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(PendingChangesTest, TheChangeIsSinceTheLastCallForThatNode) {
  Tree tree = BuildTree("n0 10ms\n  n1 8ms\n");
  PendingChanges changes;
  EXPECT_EQ(changes.Take(tree, kRootNode), 0);
  tree.BeginAttempt(kRootNode);
  tree.BeginAttempt(kRootNode);
  tree.BeginAttempt(NodeId{1});
  EXPECT_EQ(changes.Take(tree, kRootNode), 2);
  EXPECT_EQ(changes.Take(tree, kRootNode), 0);
  EXPECT_EQ(changes.Take(tree, NodeId{1}), 1);
  tree.EndAttempt(kRootNode);
  EXPECT_EQ(changes.Take(tree, kRootNode), -1);
  tree.EndAttempt(kRootNode);
  tree.EndAttempt(NodeId{1});
  EXPECT_EQ(changes.Take(tree, NodeId{1}), -1);
  EXPECT_EQ(changes.Take(tree, kRootNode), -1);
}

TEST(PendingChangesTest, ANodeThatWasDoneWithBeginsAnew) {
  Tree tree = BuildTree("n0 10ms\n");
  PendingChanges changes;
  for (int round = 0; round < 3; ++round) {
    tree.BeginAttempt(kRootNode);
    EXPECT_EQ(changes.Take(tree, kRootNode), 1);
    tree.EndAttempt(kRootNode);
    EXPECT_EQ(changes.Take(tree, kRootNode), -1);
  }
}

// Whatever begins and ends, the changes of a node sum to what is in flight.
TEST(PendingChangesTest, ChangesSumToWhatIsInFlight) {
  RandomStream stream(3, Purpose::kSimulation, 0);
  Tree tree = BuildTree("n0 10ms\n  n1 8ms\n  n2 8ms\n");
  PendingChanges changes;
  std::vector<int> sums(3);
  for (int i = 0; i < 3000; ++i) {
    const NodeId node{Draw(stream, 3)};
    if (tree.InFlight(node) > 0 && Draw(stream, 2) == 0) {
      tree.EndAttempt(node);
    } else {
      tree.BeginAttempt(node);
    }
    if (Draw(stream, 3) == 0) continue;
    int& sum = sums[static_cast<std::size_t>(Index(node))];
    sum += changes.Take(tree, node);
    ASSERT_EQ(sum, tree.InFlight(node)) << i;
  }
}

}  // namespace
}  // namespace coppice::search
