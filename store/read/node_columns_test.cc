#include "store/read/node_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class NodeColumnsTest : public ::testing::Test {
 protected:
  void Update() {
    Must(BringUpToDate(database_, campaign_, columns_));
    Add(Must(ReadNews(database_, campaign_, details_)), details_);
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  NodeColumns columns_;
  NodeDetails details_;
};

TEST_F(NodeColumnsTest, EachNodeHasAPlaceInEachColumn) {
  const NodeId child = Grow(database_, campaign_, kRootNode,
                            {.runtime_s = 2.0, .technique = "tile(i, 8)"});
  Grow(database_, campaign_, child,
       {.verdict = Verdict::kCrashed, .policy = "greedy", .technique = ""});
  Update();
  EXPECT_THAT(columns_.parents, ElementsAre(kNoParent, 0U, 1U));
  EXPECT_EQ(columns_.marks[0].speedup, 1.0F);
  EXPECT_EQ(columns_.marks[1].speedup, 2.0F);  // 4 s over 2 s.
  EXPECT_TRUE(std::isnan(columns_.marks[2].speedup));
  EXPECT_EQ(columns_.marks[2].verdict,
            static_cast<std::uint8_t>(Verdict::kCrashed));
  EXPECT_THAT(columns_.policies, ElementsAre(255, 0, 1));
  EXPECT_THAT(columns_.policy_names, ElementsAre("stark", "greedy"));
  EXPECT_THAT(details_.technique_names, ElementsAre("", "tile"));
  EXPECT_THAT(details_.techniques, ElementsAre(0U, 1U, 0U));
}

TEST_F(NodeColumnsTest, OnlyWhatIsNewIsAdded) {
  Grow(database_, campaign_, kRootNode);
  Update();
  Update();
  EXPECT_EQ(columns_.size(), 2U);
  Grow(database_, campaign_, kRootNode);
  Update();
  EXPECT_EQ(columns_.size(), 3U);
  EXPECT_EQ(details_.size(), 3U);
  EXPECT_THAT(columns_.policies, ElementsAre(255, 0, 0));
}

TEST_F(NodeColumnsTest, ARefutedNodeIsMarkedAndSoAreThoseOfItsTokens) {
  const NodeId node = Grow(database_, campaign_, kRootNode,
                           {.source = "same", .runtime_s = 2.0});
  Update();
  EXPECT_EQ(columns_.marks[1].flags, 0);
  Must(Nodes(database_).AddEvaluation(
      campaign_, node, EvaluationOf(Verdict::kWrongOutput, std::nullopt),
      2000.0));
  Update();
  EXPECT_EQ(columns_.marks[1].flags, kRefuted);
  EXPECT_TRUE(std::isnan(columns_.marks[1].speedup));
  EXPECT_EQ(columns_.further, 1);
}

TEST_F(NodeColumnsTest, AnotherFileByThatNameBeginsAnew) {
  Grow(database_, campaign_, kRootNode);
  Update();
  Database other = NewFile(directory_.File("y.db"));
  Must(BringUpToDate(other, Plant(other, "a"), columns_));
  EXPECT_EQ(columns_.size(), 1U);
}

TEST_F(NodeColumnsTest, WhereNothingIsNewThatIsSaid) {
  const auto is_none = [this] {
    return std::pair(Must(ReadNews(database_, campaign_, columns_)).is_none,
                     Must(ReadNews(database_, campaign_, details_)).is_none);
  };
  EXPECT_EQ(is_none(), std::pair(false, false));
  const NodeId node = Grow(database_, campaign_, kRootNode);
  Update();
  EXPECT_EQ(is_none(), std::pair(true, true));
  // Details do not change with what a node counts for.
  Must(Nodes(database_).AddEvaluation(
      campaign_, node, EvaluationOf(Verdict::kCrashed, {}), 2000.0));
  EXPECT_EQ(is_none(), std::pair(false, true));
  Grow(database_, campaign_, kRootNode);
  Update();
  EXPECT_EQ(is_none(), std::pair(true, true));
}

}  // namespace
}  // namespace coppice::store
