#include "store/read/campaign_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/read/spend.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class CampaignPagesTest : public ::testing::Test {
 protected:
  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
};

TEST_F(CampaignPagesTest, FailuresComeWithWhatTheyLeft) {
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, campaign_, kRootNode);
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kNoCandidate});
  std::vector<FailedNode> failed;
  const auto visit = [&](FailedNode node) { failed.push_back(node); };
  Must(ScanFailed(database_, campaign_, 0, visit));
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed[0].node, 1);
  EXPECT_EQ(failed[0].text, "log: crashed");
  EXPECT_EQ(failed[0].technique, "tile");
  EXPECT_EQ(failed[1].node, 3);
  failed.clear();
  Must(ScanFailed(database_, campaign_, 2, visit));
  EXPECT_EQ(failed.size(), 1U);
}

TEST_F(CampaignPagesTest, LeadersOfATaskComeFromAllItsCampaigns) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.runtime_s = 1.0});
  const auto tasks = Must(ReadTasks(database_));
  ASSERT_EQ(tasks.size(), 1U);
  const Listing leaders = Must(ReadLeadersOf(database_, tasks[0]));
  ASSERT_EQ(leaders.rows.size(), 4U);  // With both roots.
  EXPECT_EQ(leaders.rows[0][0], Value("b"));
  EXPECT_EQ(leaders.rows[0][2], Value(4.0));
  EXPECT_EQ(leaders.rows[1][0], Value("a"));
  EXPECT_EQ(Must(ReadHardware(database_, campaign_)), "a processor");
  EXPECT_EQ(Must(ReadWorkloadsOf(database_, other, 1)).rows[0][3], Value(4.0));
}

TEST_F(CampaignPagesTest, ADecisionSaysWhatItsPolicySaw) {
  Grow(database_, campaign_, kRootNode);
  Grow(database_, campaign_, kRootNode);
  const Listing row = Must(ReadDecisionRow(database_, campaign_, 1));
  ASSERT_EQ(row.rows.size(), 1U);
  EXPECT_EQ(row.rows[0][1], Value("stark"));
  EXPECT_EQ(row.rows[0][6], Value(std::int64_t{2}));  // Nodes seen.
  EXPECT_TRUE(Must(ReadDecisionRow(database_, campaign_, 5)).rows.empty());
}

TEST_F(CampaignPagesTest, SpendIsThatOfTheViewByDay) {
  Grow(database_, campaign_, kRootNode);
  const Listing days = Must(ReadSpendDays(database_));
  ASSERT_EQ(days.rows.size(), 2U);  // Plan and code.
  EXPECT_EQ(days.rows[0][1], Value("a"));
  EXPECT_EQ(days.rows[0][4], Value(std::int64_t{1}));
  EXPECT_EQ(Must(ReadWirePage(database_, 0, 10)).total, 0);
  EXPECT_TRUE(Must(ReadUnknownCalls(database_)).rows.empty());
  EXPECT_TRUE(Must(ReadCaps(database_)).rows.empty());
  EXPECT_EQ(Must(ReadDayCost(database_, 1000.0)), 0.0);
}

TEST_F(CampaignPagesTest, LongCurvesAreThinnedButForTheirEnds) {
  for (int i = 0; i < 8; ++i) Grow(database_, campaign_, kRootNode);
  // 9 nodes, 2 points: each fifth (9 / 2 + 1), and the last.
  const Listing curves = Must(ReadPolicyCurves(database_, 2));
  ASSERT_EQ(curves.rows.size(), 3U);
  EXPECT_EQ(curves.rows[1][3], Value(std::int64_t{5}));
  EXPECT_EQ(curves.rows[2][3], Value(std::int64_t{8}));
}

TEST_F(CampaignPagesTest, CurvesOfPoliciesAreThoseOfTheView) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const Listing curves = Must(ReadPolicyCurves(database_, 100));
  ASSERT_EQ(curves.rows.size(), 2U);
  EXPECT_EQ(curves.rows[1][5], Value(2.0));
  EXPECT_FALSE(Must(ReadFastP(database_)).rows.empty());
  EXPECT_TRUE(Must(ReadBaselineRows(database_, campaign_)).rows.empty());
}

}  // namespace
}  // namespace coppice::store
