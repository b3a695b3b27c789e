#include "store/read/relatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Roots take 4 s; node 8 has the tokens of node 5.
//
//   0 --- 1 2 s --- 4 0.5 s --- 7 0.25 s
//     |         '-- 6 crashed
//     |--- 2 crashed
//     '--- 3 1 s --- 5 0.8 s
//                '-- 8 0.8 s
class RelativesTest : public ::testing::Test {
 protected:
  RelativesTest() {
    Add(0, 2.0);
    Add(0, {});
    Add(0, 1.0);
    Add(1, 0.5);
    Add(3, 0.8, "int five;");
    Add(1, {});
    Add(4, 0.25);
    Add(3, 0.8, "int five;");
  }
  void Add(std::int64_t parent, std::optional<double> runtime_s,
           const std::string& source = "") {
    Grow(database_, campaign_, NodeId{parent},
         {.source = source,
          .verdict = runtime_s ? Verdict::kPassed : Verdict::kCrashed,
          .runtime_s = runtime_s,
          .advice = "advice " + std::to_string(++nodes_)});
  }
  std::vector<std::int64_t> Ask(
      const std::function<std::vector<NodeId>(const FamilyTree&)>& question) {
    std::vector<std::int64_t> nodes;
    Must(WithRelatives(database_, campaign_,
                       [&](const FamilyTree& tree) -> Result<void> {
                         for (const NodeId node : question(tree)) {
                           nodes.push_back(Index(node));
                         }
                         return {};
                       }));
    return nodes;
  }
  // All of them.
  std::vector<std::int64_t> RelativesOf(Kinship kinship, std::int64_t of) {
    return Ask([&](const FamilyTree& tree) {
      std::vector<std::int64_t> places;
      const std::int64_t count = tree.CountRelatives(kinship, NodeId{of});
      for (std::int64_t i = 0; i < count; ++i) places.push_back(i);
      return tree.RelativesAt(kinship, NodeId{of}, places);
    });
  }
  std::int64_t Passing(Kinship kinship, std::int64_t of, std::int64_t most) {
    return Ask([&](const FamilyTree& tree) {
      return std::vector{NodeId{tree.CountPassing(kinship, NodeId{of}, most)}};
    })[0];
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  int nodes_ = 0;
};

TEST_F(RelativesTest, RelativesAreInCommitOrder) {
  EXPECT_THAT(RelativesOf(Kinship::kChild, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(RelativesOf(Kinship::kSibling, 1), ElementsAre(2, 3));
  EXPECT_THAT(RelativesOf(Kinship::kSibling, 3), ElementsAre(1, 2));
  EXPECT_THAT(RelativesOf(Kinship::kNephew, 2), ElementsAre(4, 5, 6, 8));
  EXPECT_THAT(RelativesOf(Kinship::kNephew, 1), ElementsAre(5, 8));
  EXPECT_THAT(RelativesOf(Kinship::kChild, 2), IsEmpty());
  EXPECT_THAT(RelativesOf(Kinship::kSibling, 0), IsEmpty());
  EXPECT_THAT(RelativesOf(Kinship::kNephew, 0), IsEmpty());
}

TEST_F(RelativesTest, SomeAreFoundByTheirPlaces) {
  const auto at = [this](Kinship kinship, std::int64_t of,
                         const std::vector<std::int64_t>& places) {
    return Ask([&](const FamilyTree& tree) {
      return tree.RelativesAt(kinship, NodeId{of}, places);
    });
  };
  EXPECT_THAT(at(Kinship::kChild, 0, {0, 2}), ElementsAre(1, 3));
  EXPECT_THAT(at(Kinship::kChild, 0, {2, 2}), ElementsAre(3, 3));
  EXPECT_THAT(at(Kinship::kSibling, 2, {1}), ElementsAre(3));
  EXPECT_THAT(at(Kinship::kNephew, 2, {1, 3}), ElementsAre(5, 8));
}

TEST_F(RelativesTest, ThoseThatPassAreCountedUpToALimit) {
  EXPECT_EQ(Passing(Kinship::kChild, 0, 9), 2);
  EXPECT_EQ(Passing(Kinship::kChild, 0, 1), 1);
  EXPECT_EQ(Passing(Kinship::kSibling, 1, 9), 1);
  EXPECT_EQ(Passing(Kinship::kNephew, 2, 9), 3);
  EXPECT_EQ(Passing(Kinship::kNephew, 2, 2), 2);
  EXPECT_EQ(Passing(Kinship::kSibling, 0, 9), 0);
}

// The fastest are 7, 4, 5, 3, 1 and the root; 8 is no other than 5, but stands
// for it where that is inside.
TEST_F(RelativesTest, LeadersAreOutsideOfTheSubtree) {
  const auto leaders = [this](std::int64_t outside, int limit) {
    return Ask([&](const FamilyTree& tree) {
      return tree.Leaders(NodeId{outside}, limit);
    });
  };
  EXPECT_THAT(leaders(2, 9), ElementsAre(7, 4, 5, 3, 1));
  EXPECT_THAT(leaders(1, 1), ElementsAre(5));
  EXPECT_THAT(leaders(4, 9), ElementsAre(5, 3, 1));
  EXPECT_THAT(leaders(3, 9), ElementsAre(7, 4, 1));
  EXPECT_THAT(leaders(5, 9), ElementsAre(7, 4, 8, 3, 1));
  EXPECT_THAT(leaders(0, 9), IsEmpty());
  EXPECT_THAT(leaders(2, 0), IsEmpty());
}

TEST_F(RelativesTest, TheBoardHoldsTheBestOfAll) {
  const auto live_tree = [this](std::int64_t outside, int size) {
    return Ask([&](const FamilyTree& tree) {
      return tree.LeadersAmong(NodeId{outside}, size);
    });
  };
  EXPECT_THAT(live_tree(1, 3), ElementsAre(5));
  EXPECT_THAT(live_tree(1, 9), ElementsAre(5, 3));
  EXPECT_THAT(live_tree(2, 2), ElementsAre(7, 4));
}

TEST_F(RelativesTest, TheLatestPlanIsThatOfTheLastChildThatHasOne) {
  EXPECT_EQ(Must(ReadLatestPlan(database_, campaign_, NodeId{1}))->advice,
            "advice 6");
  EXPECT_FALSE(
      Must(ReadLatestPlan(database_, campaign_, NodeId{2})).has_value());
}

}  // namespace
}  // namespace coppice::store
