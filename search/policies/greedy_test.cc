#include "search/policies/greedy.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(GreedyTest, SelectsTheLowestRuntime) {
  EXPECT_EQ(PickWithReason(*MakeGreedy(),
                           "n0 10ms\n"
                           "  n1 2.5ms\n"
                           "    n2 failed\n"
                           "    n3 1.25ms\n"
                           "  n4 3ms\n"),
            "n3: exploit: lowest runtime 1.25 ms");
}

TEST(GreedyTest, KeepsToTheRootUntilSomethingBeatsIt) {
  const auto policy = MakeGreedy();
  EXPECT_EQ(Pick(*policy, "n0 10ms +9\n  n1 11ms\n  n2 failed\n"), "n0");
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 10ms\n"), "n0");
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 9.9ms\n"), "n1");
}

TEST(GreedyTest, KeepsToABestNodeWhoseChildrenAllFail) {
  EXPECT_EQ(Pick(*MakeGreedy(),
                 "n0 10ms\n"
                 "  n1 5ms\n"
                 "    n2 failed\n"
                 "    n3 failed\n"
                 "    n4 failed\n"
                 "    n5 failed\n"),
            "n1");
}

// Three failing nodes: 1,000 each of 3,000, standard deviation
// sqrt(3000 * 1/3 * 2/3) = 26, so 130 is five of them.
TEST(GreedyTest, IsUniformOverFailingNodesIfNoNodePasses) {
  const std::string tree = "n0 failed\n  n1 crashed\n  n2 none\n  n3 failed\n";
  auto counts = PickOften(*MakeGreedy(), tree, 3000);
  EXPECT_NEAR(counts["n0"], 1000, 130);
  EXPECT_NEAR(counts["n1"], 1000, 130);
  EXPECT_EQ(counts["n2"], 0);
  EXPECT_NEAR(counts["n3"], 1000, 130);
}

TEST(GreedyTest, SelectsTheRootIfNoNodeIsEligible) {
  EXPECT_EQ(PickWithReason(*MakeGreedy(), "n0 none\n"),
            "n0: exploit: the root, no node is eligible");
}

}  // namespace
}  // namespace coppice::search
