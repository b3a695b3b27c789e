#include "search/indexes/ranked_visits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "search/random_tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

TEST(RankedVisitsTest, NothingIsFirst) {
  const RankedVisits order;
  EXPECT_EQ(order.size(), 0);
  EXPECT_EQ(order.CountBelow(1.0), 0);
  EXPECT_FALSE(order.FirstBelow(0, 100).has_value());
}

TEST(RankedVisitsTest, OrderIsByScoreThenById) {
  RankedVisits order;
  order.Insert(NodeId{7}, 1.0, 5);
  order.Insert(NodeId{3}, 1.0, 4);
  order.Insert(NodeId{9}, 2.0, 6);
  // n9, n3, n7.
  EXPECT_EQ(order.FirstBelow(0, 7)->node, NodeId{9});
  EXPECT_EQ(order.FirstBelow(0, 6)->node, NodeId{3});
  EXPECT_EQ(order.FirstBelow(2, 6)->node, NodeId{7});
  EXPECT_EQ(order.FirstBelow(2, 6)->place, 2);
  EXPECT_FALSE(order.FirstBelow(0, 4).has_value());
  EXPECT_FALSE(order.FirstBelow(3, 7).has_value());
  EXPECT_EQ(order.CountBelow(2.0), 2);
  EXPECT_EQ(order.CountBelow(1.0), 0);
  EXPECT_EQ(order.Fewest(0, 3), 4u);
  EXPECT_EQ(order.Fewest(2, 3), 5u);
}

TEST(RankedVisitsTest, VisitsOfStrangersAreIgnored) {
  RankedVisits order;
  order.AddVisits(NodeId{2}, 1);
  order.Insert(NodeId{3}, 1.0, 0);
  order.AddVisits(NodeId{2}, 1);
  order.AddVisits(NodeId{4}, 1);  // The first after all that it knows.
  EXPECT_EQ(order.size(), 1);
  EXPECT_EQ(order.Fewest(0, 1), 0u);
}

TEST(RankedVisitsTest, AnswersAsASortedListDoes) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  RankedVisits order;
  std::vector<RankedVisits::Member> sorted;
  for (std::int64_t i = 0; i < 400; ++i) {
    const auto score = static_cast<double>(Draw(stream, 50));
    const auto visits = static_cast<std::uint32_t>(Draw(stream, 20));
    order.Insert(NodeId{i}, score, visits);
    sorted.push_back({NodeId{i}, score, visits, 0});
    for (int k = 0; k < 3; ++k) {
      auto& some = sorted[static_cast<std::size_t>(
          Draw(stream, static_cast<std::int64_t>(sorted.size())))];
      const int change = some.visits > 0 && Draw(stream, 2) == 0 ? -1 : 1;
      some.visits =
          static_cast<std::uint32_t>(static_cast<int>(some.visits) + change);
      order.AddVisits(some.node, change);
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.score != b.score ? a.score > b.score : a.node < b.node;
    });
    ASSERT_EQ(order.size(), i + 1);
    for (int k = 0; k < 20; ++k) {
      const std::int64_t from = Draw(stream, i + 2);
      const auto limit = static_cast<std::uint32_t>(Draw(stream, 22));
      const auto found = order.FirstBelow(from, limit);
      auto place = from;
      while (place <= i &&
             sorted[static_cast<std::size_t>(place)].visits >= limit) {
        ++place;
      }
      ASSERT_EQ(found.has_value(), place <= i);
      if (found) {
        EXPECT_EQ(found->place, place);
        EXPECT_EQ(found->node, sorted[static_cast<std::size_t>(place)].node);
      }
      const std::int64_t start = Draw(stream, i + 1);
      const std::int64_t end = start + 1 + Draw(stream, i + 1 - start);
      std::uint32_t fewest = sorted[static_cast<std::size_t>(start)].visits;
      for (auto at = start; at < end; ++at) {
        fewest = std::min(fewest, sorted[static_cast<std::size_t>(at)].visits);
      }
      EXPECT_EQ(order.Fewest(start, end), fewest);
      const auto below = static_cast<double>(Draw(stream, 51));
      EXPECT_EQ(order.CountBelow(below),
                std::count_if(sorted.begin(), sorted.end(),
                              [&](const auto& m) { return m.score < below; }));
    }
  }
}

}  // namespace
}  // namespace coppice::search
