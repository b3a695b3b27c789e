#include "search/best_of_k.h"

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

}  // namespace
}  // namespace coppice::search
