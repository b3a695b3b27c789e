#include "search/indexes/visit_classes.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "search/random_tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

double Reciprocal(std::uint32_t visits) { return 1.0 / visits; }

TEST(VisitClassesTest, NothingHasNoBest) {
  EXPECT_TRUE(VisitClasses().empty());
  EXPECT_FALSE(VisitClasses().Best(Reciprocal).has_value());
}

// 0.5 + 1/1 = 1.5 and 0.9 + 1/2 = 1.4; without the bonus n2 would win.
TEST(VisitClassesTest, WeighsValueAgainstTheBonusOfTheVisits) {
  VisitClasses classes;
  classes.Insert(NodeId{1}, 1, 0.5);
  classes.Insert(NodeId{2}, 2, 0.9);
  const auto best = classes.Best(Reciprocal);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->node, NodeId{1});
  EXPECT_DOUBLE_EQ(best->worth, 1.5);
  EXPECT_EQ(classes.Best([](std::uint32_t) { return 0.0; })->node, NodeId{2});
}

TEST(VisitClassesTest, OfEqualWorthTheLowestIdWins) {
  VisitClasses classes;
  classes.Insert(NodeId{5}, 1, 0.5);
  classes.Insert(NodeId{4}, 2, 1.0);  // 1.0 + 0.5 = 0.5 + 1.0.
  classes.Insert(NodeId{6}, 2, 1.0);
  EXPECT_EQ(classes.Best(Reciprocal)->node, NodeId{4});
}

TEST(VisitClassesTest, OneMemberMayBeLeftOut) {
  VisitClasses classes;
  classes.Insert(NodeId{1}, 1, 0.5);
  EXPECT_FALSE(classes.Best(Reciprocal, NodeId{1}).has_value());
  classes.Insert(NodeId{2}, 1, 0.4);
  EXPECT_EQ(classes.Best(Reciprocal, NodeId{1})->node, NodeId{2});
}

TEST(VisitClassesTest, TheBestOfEachVisitCountIsTold) {
  VisitClasses classes;
  classes.Insert(NodeId{1}, 4, -0.5);
  classes.Insert(NodeId{2}, 4, 0.25);
  classes.Insert(NodeId{3}, 1, 0.0);
  std::vector<NodeId> told;
  const auto tell = [&](const VisitClasses::Winner& winner) {
    told.push_back(winner.node);
  };
  classes.Best(Reciprocal, std::nullopt, tell);
  EXPECT_EQ(told, (std::vector{NodeId{3}, NodeId{2}}));
  told.clear();
  classes.Best(Reciprocal, NodeId{2}, tell);
  EXPECT_EQ(told, (std::vector{NodeId{3}, NodeId{1}}));
  // The one of its visits is left out: nothing of that count is told.
  told.clear();
  classes.Best(Reciprocal, NodeId{3}, tell);
  EXPECT_EQ(told, (std::vector{NodeId{2}}));
}

TEST(VisitClassesTest, IsEmptyOnceAllAreErased) {
  VisitClasses classes;
  classes.Insert(NodeId{1}, 3, 0.5);
  classes.Insert(NodeId{2}, 3, 0.5);
  classes.Erase(NodeId{1}, 3, 0.5);
  EXPECT_FALSE(classes.empty());
  EXPECT_EQ(classes.Best(Reciprocal)->node, NodeId{2});
  classes.Erase(NodeId{2}, 3, 0.5);
  EXPECT_TRUE(classes.empty());
  EXPECT_FALSE(classes.Best(Reciprocal).has_value());
}

TEST(VisitClassesTest, FindsWhatAScanFindsAfterAnyMoves) {
  struct Member {
    std::uint32_t visits = 0;
    double value = 0.0;
  };
  RandomStream stream(1, Purpose::kSimulation, 0);
  VisitClasses classes;
  std::vector<Member> members(30);  // Absent if without visits.
  for (int i = 0; i < 5000; ++i) {
    const NodeId node{Draw(stream, 30)};
    Member& member = members[static_cast<std::size_t>(Index(node))];
    if (member.visits > 0) classes.Erase(node, member.visits, member.value);
    member = {static_cast<std::uint32_t>(Draw(stream, 6)),
              0.25 * static_cast<double>(Draw(stream, 6))};
    if (member.visits > 0) classes.Insert(node, member.visits, member.value);
    std::optional<VisitClasses::Winner> scan;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (members[m].visits == 0) continue;
      const double worth = members[m].value + Reciprocal(members[m].visits);
      if (!scan || worth > scan->worth) {
        scan = {NodeId{static_cast<std::int64_t>(m)}, worth};
      }
    }
    const auto best = classes.Best(Reciprocal);
    ASSERT_EQ(best.has_value(), scan.has_value());
    if (scan) {
      ASSERT_EQ(best->node, scan->node);
    }
  }
}

}  // namespace
}  // namespace coppice::search
