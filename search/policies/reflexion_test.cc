#include "search/policies/reflexion.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(ReflexionTest, StartsAtTheRoot) {
  EXPECT_EQ(PickWithReason(*MakeReflexion(), "n0 10ms\n"),
            "n0: chain: the latest attempt");
}

TEST(ReflexionTest, GoesOnFromTheLatestAttemptHoweverSlowOrBroken) {
  const auto policy = MakeReflexion();
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 5ms\n    n2 20ms\n"), "n2");
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 5ms\n    n2 crashed\n"), "n2");
}

TEST(ReflexionTest, PassesOverAttemptsWithoutACandidate) {
  const auto policy = MakeReflexion();
  EXPECT_EQ(PickWithReason(*policy,
                           "n0 10ms\n"
                           "  n1 5ms\n"
                           "    n2 none\n"
                           "    n3 none\n"),
            "n1: chain: the latest attempt with a candidate");
  EXPECT_EQ(Pick(*policy, "n0 10ms\n  n1 none\n"), "n0");
}

TEST(ReflexionTest, LatestIsByCommitNotByDepth) {
  EXPECT_EQ(Pick(*MakeReflexion(),
                 "n0 10ms\n"
                 "  n1 5ms\n"
                 "    n2 4ms\n"
                 "  n3 9ms\n"),
            "n3");
}

TEST(ReflexionTest, AttemptsInFlightDoNotMoveTheTip) {
  EXPECT_EQ(Pick(*MakeReflexion(), "n0 10ms\n  n1 5ms +2\n"), "n1");
}

TEST(ReflexionTest, FallsBackToTheRootWithoutAnyCandidate) {
  EXPECT_EQ(PickWithReason(*MakeReflexion(), "n0 none\n"),
            "n0: chain: the root, no node has a candidate");
}

}  // namespace
}  // namespace coppice::search
