#include "engine/inspector/campaign_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "store/read/node_columns.h"
#include "store/scratch.h"

namespace coppice::inspector {
namespace {

using store::Must;

struct Sized {
  std::size_t size = 40;
  std::size_t bytes() const { return size; }
};

store::CampaignRow RowOf(std::uint8_t number) {
  store::CampaignRow row;
  row.spec.uuid.bytes = {number};
  return row;
}

// 40 bytes each, 100 at most: the third is one too many.
TEST(CampaignCacheTest, TheOneAskedForLongestAgoIsForgotten) {
  PerCampaign<Sized> kept(100);
  const auto first = kept.Of(RowOf(1));
  const auto second = kept.Of(RowOf(2));
  EXPECT_EQ(kept.Of(RowOf(1)), first);  // Now the second is the oldest.
  const auto third = kept.Of(RowOf(3));
  kept.Trim();
  EXPECT_EQ(kept.Of(RowOf(1)), first);
  EXPECT_EQ(kept.Of(RowOf(3)), third);
  EXPECT_NE(kept.Of(RowOf(2)), second);  // Which we still hold.
}

// One that is too large by itself is kept until another is asked for.
TEST(CampaignCacheTest, TheLastIsKeptWhateverItsSize) {
  PerCampaign<Sized> kept(10);
  const auto first = kept.Of(RowOf(1));
  kept.Trim();
  EXPECT_EQ(kept.Of(RowOf(1)), first);
}

// A reader who takes long keeps no other from the columns.
TEST(CampaignCacheTest, ReadersDoNotWaitForEachOther) {
  store::ScratchDirectory directory;
  store::Database database = store::NewFile(directory.File("x.db"));
  store::Plant(database, "a");
  const store::CampaignRow row = Must(store::Campaigns(database).Find("a"));
  GrowingCache<store::NodeColumns> cache(1000);
  const auto inner = [&](const store::NodeColumns& columns) -> Result<int> {
    return static_cast<int>(columns.size());
  };
  const auto outer = [&](const store::NodeColumns&) -> Result<int> {
    // Another thread reads while this one does.
    std::atomic<int> size = 0;
    std::thread([&] {
      store::Database other = Must(
          store::Database::Open(directory.File("x.db"), store::Access::kWatch));
      size = Must(cache.With(other, row, inner));
    }).join();
    return size.load();
  };
  EXPECT_EQ(Must(cache.With(database, row, outer)), 1);  // The root.
}

}  // namespace
}  // namespace coppice::inspector
