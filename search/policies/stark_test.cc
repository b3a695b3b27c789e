#include "search/policies/stark.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

std::unique_ptr<Policy> Exploiting() { return MakeStark({.epsilon = 0.0}); }
std::unique_ptr<Policy> Exploring() { return MakeStark({.epsilon = 1.0}); }

TEST(StarkTest, DefaultsAreThoseOfAppendixB) {
  const Eligibility rule = MakeStark()->Rule();
  EXPECT_EQ(rule.max_root_children, 5);
  EXPECT_EQ(rule.max_failing_children, 3);
}

TEST(StarkTest, ALoneRootIsSelectedByEitherBranch) {
  EXPECT_EQ(PickWithReason(*Exploring(), "n0 10ms\n"),
            "n0: explore: uniform over 1 expandable leaves");
  EXPECT_EQ(PickWithReason(*Exploiting(), "n0 10ms\n"),
            "n0: exploit: lowest runtime 10 ms");
}

TEST(StarkTest, ExploitsTheRootWhileItDominatesAndMayHaveChildren) {
  const std::string four =
      "n0 10ms\n"
      "  n1 12ms\n"
      "  n2 11ms\n"
      "  n3 failed\n"
      "  n4 failed\n";
  EXPECT_EQ(Pick(*Exploiting(), four), "n0");
  EXPECT_EQ(Pick(*Exploiting(), four + "  n5 failed\n"), "n2");
}

TEST(StarkTest, AttemptsInFlightCountInTheThrottle) {
  EXPECT_EQ(Pick(*Exploiting(), "n0 10ms +3\n  n1 12ms\n"), "n0");
  EXPECT_EQ(Pick(*Exploiting(), "n0 10ms +4\n  n1 12ms\n"), "n1");
}

TEST(StarkTest, PrunesANodeAtItsFourthChildIfAllFail) {
  const std::string three =
      "n0 10ms\n"
      "  n1 5ms\n"
      "    n3 failed\n"
      "    n4 failed\n"
      "    n5 failed\n"
      "  n2 8ms\n";
  EXPECT_EQ(Pick(*Exploiting(), three), "n1");
  const std::string first_four =
      "n0 10ms\n"
      "  n1 5ms\n"
      "    n3 failed\n"
      "    n4 failed\n"
      "    n5 failed\n";
  EXPECT_EQ(Pick(*Exploiting(), first_four + "    n6 none\n  n2 8ms\n"), "n2");
  EXPECT_EQ(Pick(*Exploiting(), first_four + "    n6 20ms\n  n2 8ms\n"), "n1");
}

// Leaves: n3 (failing), n4, n5.  n2 is no leaf, for an attempt on it is in
// flight; n6 holds no candidate.  1,000 each, standard deviation 26.
TEST(StarkTest, ExploresUniformlyOverExpandableLeavesPassingOrNot) {
  const std::string tree =
      "n0 10ms\n"
      "  n1 9ms\n"
      "    n3 failed\n"
      "    n4 9.5ms\n"
      "  n2 8ms +1\n"
      "  n5 20ms\n"
      "  n6 none\n";
  auto counts = PickOften(*Exploring(), tree, 3000);
  EXPECT_NEAR(counts["n3"], 1000, 130);
  EXPECT_NEAR(counts["n4"], 1000, 130);
  EXPECT_NEAR(counts["n5"], 1000, 130);
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(PickWithReason(*Exploring(), tree)
                  .ends_with(": explore: uniform over 3 expandable leaves"));
}

// Leaves n2, n3, n4 at 0.3 / 3 each; n2 is also the best: 0.7 + 0.1.  The
// standard deviations over 10,000 are 40 and 30.
TEST(StarkTest, ExploresWithProbabilityEpsilon) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 9ms\n"
      "    n2 8ms\n"
      "    n3 failed\n"
      "  n4 9.5ms\n";
  auto counts = PickOften(*MakeStark(), tree, 10000);
  EXPECT_NEAR(counts["n2"], 8000, 200);
  EXPECT_NEAR(counts["n3"], 1000, 150);
  EXPECT_NEAR(counts["n4"], 1000, 150);
  EXPECT_EQ(counts.size(), 3u);
}

TEST(StarkTest, ExploitsIfTheExploringDrawFindsNoLeaf) {
  EXPECT_EQ(PickWithReason(*Exploring(), "n0 10ms +1\n  n1 8ms +1\n"),
            "n1: exploit: lowest runtime 8 ms");
}

// The root is throttled and n1 is dead; of the failing, n2 has a child.
TEST(StarkTest, IsUniformOverEligibleFailingNodesIfNonePassingIsEligible) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 failed\n"
      "    n6 failed\n"
      "    n7 none\n"
      "    n8 none\n"
      "    n9 none\n"
      "  n2 failed\n"
      "    n10 none\n"
      "  n3 none\n"
      "  n4 none\n"
      "  n5 none\n";
  auto counts = PickOften(*Exploiting(), tree, 2000);
  // Standard deviation sqrt(2000 / 4) = 22; 112 is five of them.
  EXPECT_NEAR(counts["n2"], 1000, 112);
  EXPECT_NEAR(counts["n6"], 1000, 112);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(PickWithReason(*Exploiting(), tree)
                  .ends_with(": exploit: uniform over 2 failing nodes, none "
                             "passing is eligible"));
}

TEST(StarkTest, SelectsTheRootIfNoNodeIsEligible) {
  const std::string_view tree =
      "n0 10ms\n"
      "  n1 none\n"
      "  n2 none\n"
      "  n3 none\n"
      "  n4 none\n"
      "  n5 none\n";
  EXPECT_EQ(PickWithReason(*Exploiting(), tree),
            "n0: exploit: the root, no node is eligible");
  EXPECT_EQ(Pick(*Exploring(), tree), "n0");
}

TEST(StarkTest, AFailingRootIsDebuggedLikeAnyFailingNode) {
  EXPECT_EQ(PickWithReason(*Exploiting(), "n0 failed\n"),
            "n0: exploit: uniform over 1 failing nodes, none passing is "
            "eligible");
}

TEST(StarkTest, OptionsMoveTheLimits) {
  const auto policy = MakeStark({.epsilon = 0.0, .n_root = 1, .n_child = 0});
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 12ms\n"), "n1");
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 12ms\n    n2 failed\n"), "n2");
}

}  // namespace
}  // namespace coppice::search
