#include "search/indexes/class_heaps.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "search/random_tree.h"
#include "search/text_tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

std::string Tops(const ClassHeaps& heaps) {
  std::string tops;
  heaps.ForEachTop([&tops](ClassHeaps::Class of, NodeId top, double key) {
    tops.append(tops.empty() ? "" : " ").append(std::to_string(of));
    tops.append(":").append(Label(top)).append("=");
    tops.append(std::to_string(static_cast<int>(key)));
  });
  return tops;
}

TEST(ClassHeapsTest, NothingHasNoTop) {
  ClassHeaps heaps;
  heaps.Erase(NodeId{3});
  EXPECT_EQ(heaps.Top(1), std::nullopt);
  EXPECT_EQ(Tops(heaps), "");
}

TEST(ClassHeapsTest, TheLargestKeyLeadsItsClassAndOfEqualsTheLowestId) {
  ClassHeaps heaps;
  heaps.Put(NodeId{4}, 7, 2.0);
  heaps.Put(NodeId{2}, 7, 3.0);
  heaps.Put(NodeId{1}, 7, 3.0);
  heaps.Put(NodeId{9}, 5, -1.0);
  EXPECT_EQ(Tops(heaps), "5:n9=-1 7:n1=3");
}

TEST(ClassHeapsTest, ANodeIsInOneClassAtATime) {
  ClassHeaps heaps;
  heaps.Put(NodeId{1}, 7, 3.0);
  heaps.Put(NodeId{1}, 5, 3.0);
  EXPECT_EQ(Tops(heaps), "5:n1=3");
  heaps.Erase(NodeId{1});
  EXPECT_EQ(heaps.Top(5), std::nullopt);
}

TEST(ClassHeapsTest, TopsAreThoseOfAScanAfterAnyMoves) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  ClassHeaps heaps;
  std::map<NodeId, std::pair<ClassHeaps::Class, double>> members;
  for (int i = 0; i < 5000; ++i) {
    const NodeId node{Draw(stream, 40)};
    if (Draw(stream, 3) == 0) {
      heaps.Erase(node);
      members.erase(node);
    } else {
      const auto of = static_cast<ClassHeaps::Class>(Draw(stream, 4));
      const auto key = static_cast<double>(Draw(stream, 10));
      heaps.Put(node, of, key);
      members[node] = {of, key};
    }
    for (ClassHeaps::Class of = 0; of < 4; ++of) {
      std::optional<NodeId> top;
      for (const auto& [member, place] : members) {
        if (place.first != of) continue;
        if (!top || place.second > members[*top].second) top = member;
      }
      ASSERT_EQ(heaps.Top(of), top);
    }
  }
}

}  // namespace
}  // namespace coppice::search
