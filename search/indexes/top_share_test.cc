#include "search/indexes/top_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "search/random_tree.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

TEST(TopShareTest, IsEmptyAtFirst) {
  const TopShare elite(2, 4);
  EXPECT_EQ(elite.Count(), 0);
  EXPECT_EQ(elite.Members().Count(), 0);
}

// One of every three: none of two, then the best of three, then of five, then
// two of six.
TEST(TopShareTest, HoldsTheBestPartAndSaysWhatChanged) {
  TopShare elite(0, 3);
  EXPECT_FALSE(elite.Add(NodeId{1}, 5.0).in);
  EXPECT_FALSE(elite.Add(NodeId{2}, 3.0).in);
  EXPECT_EQ(elite.Add(NodeId{3}, 4.0).in, NodeId{2});
  EXPECT_FALSE(elite.Add(NodeId{4}, 6.0).in);
  const TopShare::Change swap = elite.Add(NodeId{5}, 1.0);
  EXPECT_EQ(swap.in, NodeId{5});
  EXPECT_EQ(swap.out, NodeId{2});
  const TopShare::Change growth = elite.Add(NodeId{6}, 9.0);
  EXPECT_EQ(growth.in, NodeId{2});
  EXPECT_FALSE(growth.out);
  EXPECT_EQ(Labels(elite.Members()), "n2 n5");
}

TEST(TopShareTest, IsNeverFewerThanTheLeastUnlessThereAreFewer) {
  TopShare elite(2, 100);
  elite.Add(NodeId{1}, 1.0);
  EXPECT_EQ(Labels(elite.Members()), "n1");
  elite.Add(NodeId{2}, 3.0);
  EXPECT_EQ(Labels(elite.Members()), "n1 n2");
  elite.Add(NodeId{3}, 2.0);
  EXPECT_EQ(Labels(elite.Members()), "n1 n3");
}

TEST(TopShareTest, OfEqualKeysTheLowerIdsAreBetter) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  TopShare elite(1, 100);
  elite.Add(NodeId{7}, kNever);
  elite.Add(NodeId{4}, kNever);
  elite.Add(NodeId{9}, kNever);
  EXPECT_EQ(Labels(elite.Members()), "n4");
}

TEST(TopShareTest, AgreesWithSorting) {
  RandomStream stream(21, Purpose::kSimulation, 0);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t least = Draw(stream, 4);
    const std::int64_t share = 1 + Draw(stream, 5);
    TopShare elite(least, share);
    std::vector<std::pair<double, NodeId>> sorted;
    for (std::int64_t i = 0; i < 60; ++i) {
      const auto key = static_cast<double>(Draw(stream, 20));
      elite.Add(NodeId{i}, key);
      sorted.emplace_back(key, NodeId{i});
      std::sort(sorted.begin(), sorted.end());
      const auto n = static_cast<std::int64_t>(sorted.size());
      IdSet best;
      for (std::int64_t k = 0; k < std::min(n, std::max(least, n / share));
           ++k) {
        best.Insert(sorted[static_cast<std::size_t>(k)].second);
      }
      ASSERT_EQ(Labels(elite.Members()), Labels(best));
    }
  }
}

// What an addition says is what becomes of the members.
TEST(TopShareTest, ChangesAddUpToTheMembers) {
  RandomStream stream(22, Purpose::kSimulation, 0);
  for (int round = 0; round < 100; ++round) {
    TopShare elite(Draw(stream, 3), 1 + Draw(stream, 4));
    IdSet told;
    for (std::int64_t i = 0; i < 50; ++i) {
      const auto change =
          elite.Add(NodeId{99 - i}, static_cast<double>(Draw(stream, 9)));
      if (change.in) {
        ASSERT_FALSE(told.Contains(*change.in));
        told.Insert(*change.in);
      }
      if (change.out) {
        ASSERT_TRUE(told.Contains(*change.out));
        ASSERT_TRUE(change.in.has_value());
        told.Erase(*change.out);
      }
      ASSERT_EQ(Labels(told), Labels(elite.Members()));
      ASSERT_EQ(elite.Count(), i + 1);
    }
  }
}

TEST(TopShareTest, AShareOfOneIsAll) {
  TopShare elite(0, 1);
  EXPECT_EQ(elite.Add(NodeId{4}, 2.0).in, NodeId{4});
  EXPECT_EQ(elite.Add(NodeId{2}, 9.0).in, NodeId{2});
  EXPECT_EQ(Labels(elite.Members()), "n2 n4");
}

}  // namespace
}  // namespace coppice::search
