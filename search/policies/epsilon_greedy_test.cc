#include "search/policies/epsilon_greedy.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

constexpr std::string_view kTree =
    "n0 10ms\n"
    "  n1 8ms\n"
    "    n2 failed\n"
    "  n3 none\n"
    "  n4 9ms\n";

TEST(EpsilonGreedyTest, ExploitsTheLowestRuntimeAtEpsilonZero) {
  const auto policy = MakeEpsilonGreedy({.epsilon = 0.0});
  auto counts = PickOften(*policy, kTree, 100);
  EXPECT_EQ(counts["n1"], 100);
  EXPECT_EQ(PickWithReason(*policy, kTree), "n1: exploit: lowest runtime 8 ms");
}

// Four nodes hold a candidate; inner nodes and the root are among them.
TEST(EpsilonGreedyTest, ExploresAllExpandableNodesAtEpsilonOne) {
  const auto policy = MakeEpsilonGreedy({.epsilon = 1.0});
  auto counts = PickOften(*policy, kTree, 4000);
  // Standard deviation sqrt(4000 * 1/4 * 3/4) = 27; 137 is five of them.
  for (const char* node : {"n0", "n1", "n2", "n4"}) {
    EXPECT_NEAR(counts[node], 1000, 137) << node;
  }
  EXPECT_EQ(counts["n3"], 0);
}

TEST(EpsilonGreedyTest, TheReasonSaysWhatWasExplored) {
  const auto policy = MakeEpsilonGreedy({.epsilon = 1.0});
  EXPECT_EQ(PickWithReason(*policy, "n0 10ms\n"),
            "n0: explore: uniform over 1 expandable nodes");
}

// P(n1) = 0.7 + 0.3 / 4 = 0.775; the others 0.075 each.  The standard
// deviations over 10,000 are 42 and 26.
TEST(EpsilonGreedyTest, MixesBothByItsDefaultEpsilon) {
  auto counts = PickOften(*MakeEpsilonGreedy(), kTree, 10000);
  EXPECT_NEAR(counts["n1"], 7750, 210);
  EXPECT_NEAR(counts["n0"], 750, 130);
  EXPECT_NEAR(counts["n2"], 750, 130);
  EXPECT_NEAR(counts["n4"], 750, 130);
}

TEST(EpsilonGreedyTest, SelectsTheRootIfNoNodeIsExpandable) {
  EXPECT_EQ(Pick(*MakeEpsilonGreedy({.epsilon = 1.0}), "n0 none\n"), "n0");
}

TEST(EpsilonGreedyTest, PaysNoHeedToAttemptsInFlight) {
  const auto policy = MakeEpsilonGreedy({.epsilon = 0.0});
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 8ms +4\n"), "n1");
}

}  // namespace
}  // namespace coppice::search
