#include "engine/campaign/rival.h"

#include <gtest/gtest.h>

#include "store/read/history.h"

namespace coppice::engine {
namespace {

store::Leader LeaderOf(std::int64_t node, const Speedup& speedup) {
  store::Leader leader;
  leader.line.node = NodeId{node};
  leader.line.speedup = speedup;
  return leader;
}

TEST(RivalTest, WhoIsAloneHasNone) {
  EXPECT_FALSE(RivalOf({}));
  EXPECT_FALSE(RivalOf({LeaderOf(4, {2.0, std::nullopt})}));
}

// The third is none, however near it comes.
TEST(RivalTest, ItIsTheSecondAndTheWinnerIsMeasuredAgainstIt) {
  const auto rival =
      RivalOf({LeaderOf(4, Around(6.0, 0.01)), LeaderOf(9, Around(3.0, 0.01)),
               LeaderOf(2, Around(2.99, 0.01))});
  ASSERT_TRUE(rival);
  EXPECT_EQ(rival->node, NodeId{9});
  EXPECT_NEAR(rival->winner_over.ratio, 2.0, 1e-12);
  EXPECT_TRUE(rival->IsToldApart());
}

// 1 % each: their quotient is within 1.4 %, and 1.01 lies inside.
TEST(RivalTest, InsideTheNoiseNobodyIsToldApart) {
  const auto near = RivalOf(
      {LeaderOf(1, Around(2.02, 0.01)), LeaderOf(2, Around(2.0, 0.01))});
  EXPECT_FALSE(near->IsToldApart());
  const auto unknown = RivalOf(
      {LeaderOf(1, {8.0, std::nullopt}), LeaderOf(2, {2.0, std::nullopt})});
  EXPECT_EQ(unknown->winner_over.ratio, 4.0);
  EXPECT_FALSE(unknown->IsToldApart());
}

}  // namespace
}  // namespace coppice::engine
