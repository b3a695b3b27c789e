// GET /api/campaigns and /api/campaign.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/inspector/pages_fixture.h"

namespace coppice::inspector {
namespace {

using store::Must;

class CampaignRouteTest : public PagesTest {
 protected:
  // A child of the root a second, each a little faster than the one before.
  void GrowMany(int count) {
    for (int i = 1; i <= count; ++i) {
      store::Grow(first_, a_, kRootNode, {.runtime_s = 4.0 / (1.0 + 0.1 * i)});
    }
  }
};

TEST_F(CampaignRouteTest, CampaignsOfAllFilesAreListedInTheirOrder) {
  Must(store::Campaigns(first_).Create(store::SpecNamed("later")));
  const json all = Get("/api/campaigns");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0]["c"], "a");
  EXPECT_EQ(all[1]["c"], "later");
  EXPECT_EQ(all[2]["c"], "b");
  EXPECT_EQ(all[2]["db"], 1);
}

TEST_F(CampaignRouteTest, ACampaignWithoutARootHasNoBestAndNoTrend) {
  Must(store::Campaigns(first_).Create(store::SpecNamed("later")));
  const json page = Get("/api/campaign?c=later");
  EXPECT_EQ(page["campaign"]["best"], nullptr);
  EXPECT_EQ(page["campaign"]["nodes"], 0);
  EXPECT_EQ(page["campaign"]["state"], "waiting");
  EXPECT_TRUE(page["campaign"]["trend"].empty());
  EXPECT_TRUE(page["curve"].empty());
  EXPECT_TRUE(page["bands"].empty());
  EXPECT_TRUE(page["leaders"].empty());
  EXPECT_EQ(page["hardware"], nullptr);
}

// 49 nodes in 40 parts: part i ends before node (i + 1) * 49 / 40.  The first
// holds the root alone, and the last ends with node 48 at 1 + 0.1 * 48.
TEST_F(CampaignRouteTest, ATrendHasFortyPointsHoweverManyNodesThereAre) {
  GrowMany(48);
  const json trend = Get("/api/campaign?c=a")["campaign"]["trend"];
  ASSERT_EQ(trend.size(), 40U);
  EXPECT_EQ(trend[0], 1.0);
  EXPECT_NEAR(trend[39].get<double>(), 5.8, 1e-9);
  for (std::size_t i = 1; i < trend.size(); ++i) {
    EXPECT_GE(trend[i], trend[i - 1]);
  }
}

TEST_F(CampaignRouteTest, BandsHoldEveryNodeButTheRootOnce) {
  GrowMany(47);
  store::Grow(first_, a_, kRootNode, {.verdict = Verdict::kCrashed});
  const json bands = Get("/api/campaign?c=a")["bands"];
  ASSERT_EQ(bands.size(), 40U);
  std::int64_t next = 1;
  std::int64_t passed = 0;
  std::int64_t crashed = 0;
  for (const json& band : bands) {
    EXPECT_EQ(band["from"], next);
    next = band["to"].get<std::int64_t>() + 1;
    passed += band["counts"][0].get<std::int64_t>();
    crashed += band["counts"][2].get<std::int64_t>();
  }
  EXPECT_EQ(next, 49);
  EXPECT_EQ(passed, 47);
  EXPECT_EQ(crashed, 1);
}

// The curve has what improved, and the end: the last node is no improvement.
// Each node has two calls of $0.25.
TEST_F(CampaignRouteTest, TheCurveSaysWhatWasSpentByThen) {
  store::Grow(first_, a_, kRootNode, {.runtime_s = 2.0});
  store::Grow(first_, a_, kRootNode, {.runtime_s = 3.0});
  const json curve = Get("/api/campaign?c=a")["curve"];
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0]["usd"], 0.0);
  EXPECT_EQ(curve[0]["best"], 1.0);
  EXPECT_EQ(curve[1]["usd"], 0.5);
  EXPECT_EQ(curve[1]["best"], 2.0);
  EXPECT_EQ(curve[1]["since_start_s"], 1.0);  // Committed at 1001.
  EXPECT_EQ(curve[2]["usd"], 1.0);
  EXPECT_EQ(curve[2]["best"], 2.0);
  EXPECT_NEAR(curve[2]["speedup"].get<double>(), 4.0 / 3.0, 1e-6);
}

TEST_F(CampaignRouteTest, AnAttemptInFlightSaysWhoIsAsked) {
  const AttemptId attempt =
      Must(store::Attempts(first_).Reserve(a_, store::ReservationOf(0, {})));
  const json reserved = Get("/api/campaign?c=a")["in_flight"];
  ASSERT_EQ(reserved.size(), 1U);
  EXPECT_EQ(reserved[0]["decision"], 0);
  EXPECT_EQ(reserved[0]["stage"], "reserved");
  EXPECT_EQ(reserved[0]["role"], nullptr);
  EXPECT_EQ(reserved[0]["model"], nullptr);
  EXPECT_EQ(reserved[0]["bound_usd"], nullptr);
  const Window window = {{{kRootNode, Kinship::kSelected}}, {}};
  Must(store::Calls(first_).Begin(attempt, store::IntentOf(Role::kPlan),
                                  window));
  const json asking = Get("/api/campaign?c=a")["in_flight"];
  EXPECT_EQ(asking[0]["role"], "plan");
  EXPECT_EQ(asking[0]["model"], "replay:model");
  EXPECT_EQ(asking[0]["tokens"], nullptr);  // None has come.
}

TEST_F(CampaignRouteTest, SettingsAreToldWithWhereTheyCameFrom) {
  store::CampaignSpec spec = store::SpecNamed("set");
  spec.settings = {{"policy", "greedy", "command line"},
                   {"budget", "9", "coppice.conf:3"}};
  Must(store::Campaigns(first_).Create(spec));
  const json page = Get("/api/campaign?c=set");
  ASSERT_EQ(page["settings"].size(), 2U);
  for (const json& setting : page["settings"]) {
    const bool is_policy = setting["key"] == "policy";
    EXPECT_EQ(setting["value"], is_policy ? "greedy" : "9");
    EXPECT_EQ(setting["origin"], is_policy ? "command line" : "coppice.conf:3");
  }
  EXPECT_EQ(page["campaign"]["policy"], "greedy");
}

}  // namespace
}  // namespace coppice::inspector
