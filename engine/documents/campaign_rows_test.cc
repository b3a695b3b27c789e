#include "engine/documents/campaign_rows.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "store/scratch.h"

namespace coppice::cli {
namespace {

using store::Must;

class CampaignRowsTest : public ::testing::Test {
 protected:
  Standing Read(const std::string& name) {
    return Must(ReadStanding(database_, path_,
                             Must(store::Campaigns(database_).Find(name))));
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  const CampaignId campaign_ = store::Plant(database_, "a");
};

// A call to the planner and one to the coder for each of two nodes.
TEST_F(CampaignRowsTest, ACampaignStandsWhereItsBestNodeIs) {
  store::Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  store::Grow(database_, campaign_, kRootNode, {.runtime_s = 1.0});
  const Standing standing = Read("a");
  EXPECT_EQ(standing.row.spec.name, "a");
  EXPECT_EQ(standing.state, "interrupted");  // Nobody runs it.
  ASSERT_TRUE(standing.best);
  EXPECT_EQ(standing.best->node, NodeId{2});
  EXPECT_EQ(standing.totals.cost_usd, 1.0);
  EXPECT_FALSE(standing.is_steered);
  EXPECT_EQ(standing.pending, 0);
}

TEST_F(CampaignRowsTest, TheNextBestIsTheWinnersRival) {
  EXPECT_FALSE(Read("a").rival);  // The root has none.
  store::Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const Standing standing = Read("a");
  ASSERT_TRUE(standing.rival);
  EXPECT_EQ(standing.rival->node, kRootNode);
}

TEST_F(CampaignRowsTest, WithoutARootThereIsNoBestAndItWaits) {
  Must(store::Campaigns(database_).Create(store::SpecNamed("later")));
  const Standing standing = Read("later");
  EXPECT_EQ(standing.state, "waiting");
  EXPECT_FALSE(standing.best);
  EXPECT_FALSE(standing.rival);
  EXPECT_EQ(standing.totals.cost_usd, 0.0);
}

}  // namespace
}  // namespace coppice::cli
