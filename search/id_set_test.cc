#include "search/id_set.h"

#include <gtest/gtest.h>

#include <set>

#include "store/records/random.h"

namespace coppice::search {
namespace {

TEST(IdSetTest, StartsEmptyAndHoldsNothing) {
  const IdSet set;
  EXPECT_EQ(set.Count(), 0);
  EXPECT_FALSE(set.Contains(NodeId{0}));
  EXPECT_FALSE(set.Contains(NodeId{1000}));
}

TEST(IdSetTest, MembersAreOrderedByIdNotByInsertion) {
  IdSet set;
  for (const int id : {700, 3, 64, 63}) set.Insert(NodeId{id});
  ASSERT_EQ(set.Count(), 4);
  EXPECT_EQ(set.At(0), NodeId{3});
  EXPECT_EQ(set.At(1), NodeId{63});
  EXPECT_EQ(set.At(2), NodeId{64});
  EXPECT_EQ(set.At(3), NodeId{700});
}

TEST(IdSetTest, InsertingAMemberOrErasingAStrangerHasNoEffect) {
  IdSet set;
  set.Insert(NodeId{5});
  set.Insert(NodeId{5});
  set.Erase(NodeId{6});
  set.Erase(NodeId{6000});
  EXPECT_EQ(set.Count(), 1);
  EXPECT_EQ(set.At(0), NodeId{5});
}

TEST(IdSetTest, AnErasedMemberMayReturn) {
  IdSet set;
  set.Insert(NodeId{5});
  set.Erase(NodeId{5});
  EXPECT_FALSE(set.Contains(NodeId{5}));
  EXPECT_EQ(set.Count(), 0);
  set.Insert(NodeId{5});
  EXPECT_EQ(set.At(0), NodeId{5});
}

// 3,000 ids make 47 words, so sums of every size up to 32 words are read.
TEST(IdSetTest, AgreesWithAnOrderedSetUnderRandomChange) {
  RandomStream stream(1, Purpose::kSimulation, 0);
  IdSet set;
  std::set<NodeId> reference;
  for (int round = 0; round < 20; ++round) {
    for (int change = 0; change < 500; ++change) {
      const NodeId id{static_cast<std::int64_t>(stream.Below(3000))};
      if (stream.Below(2) == 0) {
        set.Insert(id);
        reference.insert(id);
      } else {
        set.Erase(id);
        reference.erase(id);
      }
    }
    ASSERT_EQ(set.Count(), static_cast<std::int64_t>(reference.size()));
    std::int64_t k = 0;
    for (const NodeId id : reference) {
      ASSERT_TRUE(set.Contains(id));
      ASSERT_EQ(set.At(k++), id);
    }
  }
}

}  // namespace
}  // namespace coppice::search
