#include "store/newest_tried.h"

#include <gtest/gtest.h>

#include "store/connection.h"
#include "store/records/random.h"
#include "store/scratch.h"
#include "store/write/shared_transaction.h"

namespace coppice::store {
namespace {

class NewestTriedTest : public ::testing::Test {
 protected:
  // "5 jam, 4 tile": the last first.
  std::string Below(NewestTried& newest_tried, CampaignId campaign,
                    std::int64_t before, std::size_t most) {
    std::string text;
    Must(connection_.Read([&]() -> Result<void> {
      for (const TriedNode& each :
           newest_tried.Below(campaign, NodeId{before}, most)) {
        text += text.empty() ? "" : ", ";
        text += std::to_string(Index(each.node)) + " " + each.technique;
      }
      return {};
    }));
    return text;
  }
  std::string Kept(std::int64_t before, std::size_t most) {
    return Below(connection_.newest_tried(), campaign_, before, most);
  }
  void Try(const std::string& technique) {
    Grow(database_, campaign_, kRootNode, {.technique = technique});
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId beside_ = PlantBeside(database_);
  CampaignId campaign_ = Plant(database_, "a");
  CampaignId other_ = Plant(database_, "b");
  Connection& connection_ = database_.connection();
};

TEST_F(NewestTriedTest, TheLastComeFirstAndTheRootNever) {
  EXPECT_EQ(Kept(1, 9), "");
  Try("tile");
  Try("jam");
  Try("pack");
  EXPECT_EQ(Kept(4, 9), "3 pack, 2 jam, 1 tile");
  EXPECT_EQ(Kept(4, 2), "3 pack, 2 jam");
  EXPECT_EQ(Kept(3, 2), "2 jam, 1 tile");
}

// Nodes that are not there yet are not taken for read.
TEST_F(NewestTriedTest, WhatComesLaterIsRead) {
  Try("tile");
  EXPECT_EQ(Kept(5, 9), "1 tile");
  Try("jam");
  EXPECT_EQ(Kept(5, 9), "2 jam, 1 tile");
}

TEST_F(NewestTriedTest, WhatWasRolledBackIsForgotten) {
  Try("tile");
  const auto undone = InSharedTransaction(database_, [&]() -> Result<void> {
    Try("jam");
    EXPECT_EQ(Kept(3, 9), "2 jam, 1 tile");
    return Fail(Errc::kUsage, "no");
  });
  EXPECT_FALSE(undone);
  Try("pack");
  EXPECT_EQ(Kept(3, 9), "2 pack, 1 tile");
}

TEST_F(NewestTriedTest, WhatIsKeptIsWhatIsReadAnew) {
  RandomStream stream(7, Purpose::kSelect, 0);
  for (int i = 1; i <= 40; ++i) {
    Try("t" + std::to_string(i));
    if (i % 7 == 0) Grow(database_, other_, kRootNode);
    for (int ask = 0; ask < 5; ++ask) {
      const auto before = static_cast<std::int64_t>(stream.Below(50));
      const std::size_t most = 1 + stream.Below(12);
      const CampaignId campaign = stream.Below(6) == 0 ? other_ : campaign_;
      NewestTried anew(connection_);
      EXPECT_EQ(Below(connection_.newest_tried(), campaign, before, most),
                Below(anew, campaign, before, most))
          << "below " << before << ", " << most << " at most";
    }
  }
}

}  // namespace
}  // namespace coppice::store
