#include "search/arg_min.h"

#include <gtest/gtest.h>

#include <map>

#include "store/records/random.h"

namespace coppice::search {
namespace {

TEST(ArgMinTest, HasNoTopWithoutMembers) {
  ArgMin set;
  EXPECT_EQ(set.Top(), std::nullopt);
  set.Erase(NodeId{3});
  EXPECT_EQ(set.Top(), std::nullopt);
  set.Set(NodeId{3}, 1.0);
  set.Erase(NodeId{3});
  EXPECT_EQ(set.Top(), std::nullopt);
}

TEST(ArgMinTest, ASingleMemberLeads) {
  for (const int id : {0, 1, 2, 77}) {
    ArgMin set;
    set.Set(NodeId{id}, 5.0);
    EXPECT_EQ(set.Top(), NodeId{id});
  }
}

TEST(ArgMinTest, OfEqualKeysTheLowestIdLeads) {
  ArgMin set;
  set.Set(NodeId{9}, 2.0);
  set.Set(NodeId{4}, 2.0);
  set.Set(NodeId{6}, 2.0);
  EXPECT_EQ(set.Top(), NodeId{4});
  set.Erase(NodeId{4});
  EXPECT_EQ(set.Top(), NodeId{6});
}

TEST(ArgMinTest, AChangedKeyIsJudgedAnew) {
  ArgMin set;
  set.Set(NodeId{0}, 1.0);
  set.Set(NodeId{1}, 2.0);
  set.Set(NodeId{0}, 3.0);
  EXPECT_EQ(set.Top(), NodeId{1});
  set.Set(NodeId{0}, 0.5);
  EXPECT_EQ(set.Top(), NodeId{0});
}

// Keys are drawn from 40 values, so ties are common.
TEST(ArgMinTest, AgreesWithAScanUnderRandomChange) {
  RandomStream stream(2, Purpose::kSimulation, 0);
  ArgMin set;
  std::map<NodeId, double> reference;
  for (int change = 0; change < 20000; ++change) {
    const NodeId id{static_cast<std::int64_t>(stream.Below(100))};
    if (stream.Below(3) == 0) {
      set.Erase(id);
      reference.erase(id);
    } else {
      const auto key = static_cast<double>(stream.Below(40));
      set.Set(id, key);
      reference[id] = key;
    }
    std::optional<NodeId> expected;
    for (const auto& [member, key] : reference) {
      if (!expected || key < reference[*expected]) expected = member;
    }
    ASSERT_EQ(set.Top(), expected);
  }
}

}  // namespace
}  // namespace coppice::search
