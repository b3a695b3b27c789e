#include "search/policies/ab_mcts_a.h"

#include <gtest/gtest.h>

#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(AbMctsATest, ANodeWithoutChildrenIsSelected) {
  EXPECT_EQ(PickWithReason(*MakeAbMctsA(), "n0 10ms\n"),
            "n0: a leaf, by draws from the root");
  EXPECT_EQ(Pick(*MakeAbMctsA(), "n0 10ms\n  n1 none\n  n2 inconclusive\n"),
            "n0");
}

}  // namespace
}  // namespace coppice::search
