#include "search/policies/best_of_k.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(BestOfKTest, AlwaysSelectsTheRoot) {
  const auto policy = MakeBestOfK();
  EXPECT_EQ(PickWithReason(*policy, "n0 10ms\n"),
            "n0: sample: always the root");
  EXPECT_EQ(Pick(*policy, "n0 10ms +3\n  n1 2ms\n    n2 1ms\n"), "n0");
  EXPECT_EQ(Pick(*policy, "n0 failed\n  n1 2ms\n"), "n0");
}

TEST(BestOfKTest, WithRepairsDebugsAFailedSampleSoOften) {
  const auto once = MakeBestOfK({.repairs = 1});
  const auto twice = MakeBestOfK({.repairs = 2});
  const std::string_view failed = "n0 10ms\n  n1 2ms\n  n2 failed\n";
  EXPECT_EQ(PickWithReason(*once, failed), "n2: repair: a sample that failed");
  const std::string_view again =
      "n0 10ms\n  n1 2ms\n  n2 failed\n    n3 failed\n";
  EXPECT_EQ(PickWithReason(*once, again), "n0: sample: from the root");
  EXPECT_EQ(Pick(*twice, again), "n3");
  EXPECT_EQ(Pick(*twice, "n0 10ms\n  n1 failed\n    n2 3ms\n"), "n0");
}

// The repair of n1 is under way; what has no candidate cannot be repaired.
TEST(BestOfKTest, WithRepairsDoesNotRepairTwiceAtOnce) {
  const auto once = MakeBestOfK({.repairs = 1});
  EXPECT_EQ(Pick(*once, "n0 10ms\n  n1 failed +1\n"), "n0");
  EXPECT_EQ(Pick(*once, "n0 10ms\n  n1 none\n"), "n0");
}

}  // namespace
}  // namespace coppice::search
