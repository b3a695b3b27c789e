// What is told of all files together: GET /api/compare, /api/leaderboard,
// /api/history and /api/state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/inspector/pages_fixture.h"
#include "store/records/evaluation.h"
#include "store/records/node.h"

namespace coppice::inspector {
namespace {

using store::Must;
using ::testing::HasSubstr;

class CompareRouteTest : public PagesTest {
 protected:
  CompareRouteTest() {
    store::Grow(first_, a_, kRootNode,
                {.source = "int x = 1;", .runtime_s = 2.0});
    store::Grow(second_, b_, kRootNode,
                {.source = "int x  =  1;", .runtime_s = 1.0});
  }
};

// The root takes 4 s: twice and four times as fast, after one attempt.
TEST_F(CompareRouteTest, EachFileHasItsOwnCurves) {
  const json page = Get("/api/compare");
  EXPECT_EQ(page["tasks"], json({"matmul"}));
  EXPECT_EQ(page["policies"], json({"stark"}));
  ASSERT_EQ(page["curves"].size(), 2U);
  const json& first = page["curves"][0];
  const json& second = page["curves"][1];
  EXPECT_EQ(first["db"], 0);
  EXPECT_EQ(second["db"], 1);
  EXPECT_EQ(first["points"].back()["attempts"], 1);
  EXPECT_EQ(first["points"].back()["campaigns"], 1);
  EXPECT_NEAR(first["points"].back()["mean"].get<double>(), 2.0, 1e-9);
  EXPECT_NEAR(second["points"].back()["high"].get<double>(), 4.0, 1e-9);
}

TEST_F(CompareRouteTest, PoliciesOfOneFileAreCurvesBesideEachOther) {
  store::CampaignSpec spec = store::SpecNamed("greedy");
  spec.policy = "greedy";
  const CampaignId greedy = Must(store::Campaigns(first_).Create(spec));
  Must(store::Nodes(first_).Commit(greedy, std::nullopt, store::RootNode(),
                                   1000.0));
  store::Grow(first_, greedy, kRootNode, {.runtime_s = 0.5});
  const json page = Get("/api/compare");
  EXPECT_EQ(page["policies"], json({"greedy", "stark"}));
  ASSERT_EQ(page["curves"].size(), 3U);
  EXPECT_EQ(page["curves"][0]["policy"], "greedy");
  EXPECT_NEAR(page["curves"][0]["points"].back()["low"].get<double>(), 8.0,
              1e-9);
  EXPECT_EQ(page["curves"][1]["policy"], "stark");
}

TEST_F(CompareRouteTest, TheLeaderboardRanksKernelsOfAllFiles) {
  const json page = Get("/api/leaderboard");
  EXPECT_EQ(page["task"], "matmul");
  const json& best = page["rows"][0];
  EXPECT_EQ(best["rank"], 1);
  EXPECT_EQ(best["db"], 1);
  EXPECT_EQ(best["c"], "b");
  EXPECT_EQ(best["speedup"], 4.0);
  EXPECT_EQ(best["solution"], "b/1");
  EXPECT_EQ(best["definition"], "matmul");
  EXPECT_EQ(best["told_apart"], false);  // From itself.
  EXPECT_EQ(page["rows"][1]["c"], "a");
  EXPECT_EQ(page["rows"][1]["rank"], 2);
  EXPECT_EQ(page["rows"][1]["told_apart"], false);  // A round each.
  const json& workload = page["workloads"][0];
  EXPECT_EQ(workload["workload"], "w0");
  EXPECT_EQ(workload["rows"][0]["c"], "b");
  EXPECT_EQ(workload["rows"][0]["median_s"], 1.0);
}

TEST_F(CompareRouteTest, ATaskThatNobodyWorkedOnHasNoLeaders) {
  const json page = Get("/api/leaderboard?task=softmax");
  EXPECT_EQ(page["task"], "softmax");
  EXPECT_EQ(page["tasks"], json({"matmul"}));
  EXPECT_TRUE(page["rows"].empty());
  EXPECT_TRUE(page["workloads"].empty());
}

// The two differ in blanks: 4 is 100 % more than 2.
TEST_F(CompareRouteTest, TheHistoryOfAKernelIsOfItsTokensInAllFiles) {
  const json history = Get("/api/history?c=a&n=1");
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0]["db"], 0);
  EXPECT_EQ(history[0]["delta_to_previous"], nullptr);
  EXPECT_EQ(history[1]["db"], 1);
  EXPECT_EQ(history[1]["c"], "b");
  EXPECT_NEAR(history[1]["delta_to_previous"].get<double>(), 1.0, 1e-9);
}

TEST_F(CompareRouteTest, AFailureIsNoTimeToCompareWith) {
  Must(store::Nodes(first_).AddEvaluation(
      a_, NodeId{1}, store::EvaluationOf(Verdict::kCrashed, std::nullopt),
      1000.5));
  const json history = Get("/api/history?c=a&n=1");
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0]["verdict"], "crashed");
  EXPECT_EQ(history[0]["delta_to_previous"], nullptr);
  EXPECT_EQ(history[1]["delta_to_previous"], nullptr);
  EXPECT_NEAR(history[2]["delta_to_previous"].get<double>(), 1.0, 1e-9);
}

TEST_F(CompareRouteTest, WhatHasNoKernelHasNoHistory) {
  store::Grow(first_, a_, kRootNode, {.verdict = Verdict::kNoCandidate});
  EXPECT_TRUE(Get("/api/history?c=a&n=2").empty());
}

// The least cap of all files holds for whoever looks at the page.
TEST_F(CompareRouteTest, TheStateHasAllFilesAndTheLeastCapOfADay) {
  EXPECT_EQ(Get("/api/state")["cap_usd_day"], nullptr);
  for (auto [database, cap] :
       {std::pair{&first_, "5"}, std::pair{&second_, "3"}}) {
    store::CampaignSpec spec = store::SpecNamed("capped");
    spec.settings = {{"day_cap_usd", cap, "command line"}};
    Must(store::Campaigns(*database).Create(spec));
  }
  const json state = Get("/api/state");
  EXPECT_EQ(state["cap_usd_day"], 3.0);
  ASSERT_EQ(state["databases"].size(), 2U);
  EXPECT_EQ(state["databases"][1]["path"], "b.db");
  EXPECT_EQ(state["has_assistant"], false);
  EXPECT_EQ(state["read_only"], false);
  const json caps = Get("/api/spend?db=1")["caps"];
  ASSERT_EQ(caps.size(), 1U);
  EXPECT_EQ(caps[0]["campaign"], "capped");
  EXPECT_EQ(caps[0]["limit"], 3.0);
}

// A plan and a code call a node, on one day of 1970, at $0.25.
TEST_F(CompareRouteTest, MoneyIsToldByDayAndRole) {
  store::Grow(first_, a_, kRootNode);
  const json spend = Get("/api/spend");
  ASSERT_EQ(spend["days"].size(), 2U);
  EXPECT_EQ(spend["days"][0]["role"], "code");
  EXPECT_EQ(spend["days"][0]["day"], "1970-01-01");
  EXPECT_EQ(spend["days"][0]["calls"], 2);
  EXPECT_EQ(spend["days"][0]["usd"], 0.5);
  EXPECT_TRUE(spend["unknown"].empty());
}

TEST_F(CompareRouteTest, AFileThatIsGoneIsNotPassedOver) {
  Inspector inspector({{first_path_, directory_.File("gone.db")}}, clock_);
  const http::Answer answer = inspector.Answer({"GET", "/api/campaigns"});
  EXPECT_THAT(Refusal(answer, 503), HasSubstr("gone.db"));
}

}  // namespace
}  // namespace coppice::inspector
