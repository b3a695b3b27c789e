#include "store/read/campaign_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/read/spend.h"
#include "store/records/outcome.h"
#include "store/scratch.h"
#include "store/write/baselines.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

class CampaignPagesTest : public ::testing::Test {
 protected:
  // A request of a new attempt's plan agent, which may cost two dollars.
  WireCallId Send(CampaignId campaign, std::int64_t decision) {
    const AttemptId attempt = Must(Attempts(database_).Reserve(
        campaign, ReservationOf(decision, kRootNode)));
    const CallId call =
        Must(Calls(database_).Begin(attempt, IntentOf(Role::kPlan), {}));
    WireIntent intent;
    intent.request = "{}";
    intent.output_tokens_bound = 900;
    intent.cost_usd_bound = 2.0;
    intent.sent_at_s = 1000.0;
    return Must(WireCalls(database_).Begin(call, intent, {}));
  }
  // Half a dollar of it is known to be spent.
  void End(WireCallId call, CallOutcome outcome) {
    EndedWireCall ended{.call = call, .end = {}};
    ended.end.outcome = outcome;
    ended.end.cost_usd = 0.5;
    ended.end.error = "cut";
    Must(WireCalls(database_).End(ended));
  }
  static std::vector<std::string> Of(const Result<Listing>& listing) {
    return AsLines(Must(listing).rows);
  }

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

TEST_F(CampaignPagesTest, AFailureSaysWhichRuleItBroke) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, other, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  Grow(database_, campaign_, kRootNode);
  Evaluation rejected = EvaluationOf(Verdict::kRejected, std::nullopt);
  rejected.breach = Breach::kForgedTime;
  Must(Nodes(database_).AddEvaluation(campaign_, NodeId{2}, rejected, 2000.0));
  std::vector<FailedNode> failed;
  EXPECT_EQ(
      Must(ScanFailed(database_, campaign_, 0,
                      [&](const FailedNode& node) { failed.push_back(node); })),
      1);
  ASSERT_EQ(failed.size(), 1u);
  EXPECT_EQ(failed[0].verdict, Verdict::kRejected);
  EXPECT_EQ(failed[0].rule, "forged_time");
  EXPECT_EQ(failed[0].policy, "stark");
  EXPECT_EQ(failed[0].text, "log: rejected");
}

TEST_F(CampaignPagesTest, TasksAndTheirLeadersComeInOrder) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.runtime_s = 1.0});
  CampaignSpec spec = SpecNamed("c");
  spec.task_name = "gemv";
  Must(Campaigns(database_).Create(spec));
  EXPECT_THAT(Must(ReadTasks(database_)), ElementsAre("gemv", "matmul"));
  EXPECT_THAT(Of(ReadLeadersOf(database_, "matmul")),
              ElementsAre("b|1|4|-|-|0|tile|stark|a processor",
                          "a|1|2|-|-|0|tile|stark|a processor",
                          "a|0|1|1|1|0|-|-|a processor",
                          "b|0|1|1|1|0|-|-|a processor"));
}

// Two of a, then one that others measured on such a processor.
TEST_F(CampaignPagesTest, BaselinesComeByNameThoseOfOthersLast) {
  const CampaignId other = Plant(database_, "0");
  for (const auto& [campaign, name] :
       {std::pair(campaign_, "torch"), {campaign_, "expert"}, {other, "xla"}}) {
    Must(AddBaselineEvaluation(database_, campaign, name,
                               EvaluationOf(Verdict::kPassed, 2.0), 2000.0));
  }
  QuotedBaseline quoted;
  quoted.task = "matmul";
  quoted.level = 1;
  quoted.baseline = "eager";
  quoted.hardware = "a processor";
  quoted.mean_s = 1.0;
  EXPECT_EQ(Must(AddQuotedBaselines(database_, {quoted}, 3000.0)), 1);
  const auto names = [](const Result<Listing>& listing) {
    std::string all;
    for (const auto& row : Must(listing).rows) {
      all +=
          std::get<std::string>(row[0]) + std::get<std::string>(row[2]) + " ";
    }
    return all;
  };
  EXPECT_EQ(names(ReadBaselineRows(database_, campaign_)),
            "aexpert atorch aeager ");
  EXPECT_EQ(names(ReadBaselineRowsOf(database_, "matmul")),
            "0xla 0eager aexpert atorch aeager ");
  EXPECT_EQ(names(ReadBaselineRowsOf(database_, "gemv")), "");
}

// As it is known again only if a number is another.
TEST_F(CampaignPagesTest, AQuotedTimeIsEnteredOnceUntilItChanges) {
  QuotedBaseline quoted;
  quoted.task = "matmul";
  quoted.level = 1;
  quoted.baseline = "eager";
  quoted.hardware = "a processor";
  quoted.mean_s = 1.0;
  const auto add = [&] {
    return Must(AddQuotedBaselines(database_, {quoted}, 3000.0));
  };
  EXPECT_EQ(add(), 1);
  EXPECT_EQ(add(), 0);
  for (double* const number :
       {&quoted.mean_s, &quoted.std_s, &quoted.min_s, &quoted.max_s}) {
    *number += 0.5;
    EXPECT_EQ(add(), 1);
    EXPECT_EQ(add(), 0);
  }
  ++quoted.trials;
  EXPECT_EQ(add(), 1);
  // What was known before the last does not count.
  --quoted.trials;
  EXPECT_EQ(add(), 1);
  for (std::string* const name :
       {&quoted.task, &quoted.baseline, &quoted.hardware}) {
    *name += "2";
    EXPECT_EQ(add(), 1);
    EXPECT_EQ(add(), 0);
  }
}

TEST_F(CampaignPagesTest, TheHardwareIsThatOfTheRootsFirstEvaluation) {
  EXPECT_EQ(Must(ReadHardware(database_, CampaignId{9})), std::nullopt);
  const CampaignId other = Plant(database_, "b");
  Grow(database_, campaign_, kRootNode);
  Evaluation elsewhere = EvaluationOf(Verdict::kPassed, 4.0);
  elsewhere.environment.hardware = "another";
  for (const auto& [campaign, node] :
       {std::pair(campaign_, kRootNode), {campaign_, NodeId{1}}}) {
    Must(Nodes(database_).AddEvaluation(campaign, node, elsewhere, 2000.0));
  }
  EXPECT_EQ(Must(ReadHardware(database_, campaign_)), "a processor");
  EXPECT_EQ(Must(ReadHardware(database_, other)), "a processor");
}

// Node 2 has the tokens of node 1, which the second evaluation refutes.
TEST_F(CampaignPagesTest, WorkloadsAreThoseOfTheEvaluationThatCounts) {
  Grow(database_, campaign_, kRootNode, {.source = "x", .runtime_s = 2.0});
  Grow(database_, campaign_, kRootNode, {.source = "x"});
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.runtime_s = 0.5});
  Evaluation further = EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  further.workloads = EvaluationOf(Verdict::kPassed, 1.0).workloads;
  further.workloads.push_back(further.workloads[0]);
  further.workloads[1].workload = "w1";
  further.workloads[1].samples_s = {2.0};
  further.workloads[1].profile.emplace().shape = "N=1";
  Must(Nodes(database_).AddEvaluation(campaign_, NodeId{1}, further, 2000.0));
  EXPECT_THAT(Of(ReadWorkloadsOf(database_, campaign_, 1)),
              ElementsAre("w0|-|1|4", "w1|N=1|2|2"));
  EXPECT_THAT(Of(ReadWorkloadsOf(database_, campaign_, 2)),
              ElementsAre("w0|-|1|4", "w1|N=1|2|2"));
}

TEST_F(CampaignPagesTest, RequestsComeTheNewestFirst) {
  const WireCallId first = Send(campaign_, 0);
  Send(campaign_, 1);
  const WireCallId third = Send(campaign_, 2);
  const WireCallId fourth = Send(campaign_, 3);
  End(first, CallOutcome::kUnknown);
  End(third, CallOutcome::kUnknown);
  End(fourth, CallOutcome::kFailed);
  const auto page = [this](std::int64_t from, std::int64_t limit) {
    const WirePage read = Must(ReadWirePage(database_, from, limit));
    EXPECT_EQ(read.total, 4);
    return AsLines(read.rows.rows);
  };
  EXPECT_THAT(page(0, 2),
              ElementsAre("4|1000|a|plan|model|failed|0|0|0.5|2|cut",
                          "3|1000|a|plan|model|outcome_unknown|0|0|0.5|2|cut"));
  EXPECT_THAT(page(2, 1), ElementsAre("2|1000|a|plan|model|sent|0|0|-|2|"));
  EXPECT_THAT(page(3, 9), ::testing::SizeIs(1));
  EXPECT_THAT(Of(ReadUnknownCalls(database_)),
              ElementsAre("3|1000|a|plan|model|outcome_unknown|0|0|0.5|2|cut",
                          "1|1000|a|plan|model|outcome_unknown|0|0|0.5|2|cut"));
}

// Two dollars are charged for what is not known to have cost more than a half.
TEST_F(CampaignPagesTest, WhatIsNotSettledStandsBesideWhatWasSpent) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode);
  Grow(database_, campaign_, kRootNode);
  End(Send(campaign_, 1), CallOutcome::kUnknown);
  End(Send(campaign_, 2), CallOutcome::kUnknown);
  Change(database_,
         "INSERT INTO call_sum SELECT campaign_id, role, provider,"
         " model, 1, calls, answered, failed, outcome_unknown,"
         " input_tokens, cached_input_tokens, output_tokens,"
         " cost_usd, latency_s FROM call_sum WHERE campaign_id = 2"
         " AND role = 0");
  EXPECT_THAT(Of(ReadSpendDays(database_)),
              ElementsAre("1970-01-02|b|plan|model|1|110|0.25|0",
                          "1970-01-01|a|code|model|1|110|0.25|0",
                          "1970-01-01|a|plan|model|3|110|1.25|3",
                          "1970-01-01|b|code|model|1|110|0.25|0",
                          "1970-01-01|b|plan|model|1|110|0.25|0"));
}

// Campaign b spent 50, 25 and 400 cents, a a dollar on the first day.
TEST_F(CampaignPagesTest, CapsComeWithWhatCountsAgainstThem) {
  CampaignSpec spec = SpecNamed("b");
  spec.settings = {{"cap_usd", "5", "x"},      {"plan_cap_usd", "none", "x"},
                   {"code_cap_usd", "2", "x"}, {"debug_cap_usd", "", "x"},
                   {"day_cap_usd", "3", "x"},  {"seed", "9", "x"}};
  Must(Campaigns(database_).Create(spec));
  spec = SpecNamed("0");
  spec.settings = {{"cap_usd", "7", "x"}};
  Must(Campaigns(database_).Create(spec));
  Change(database_,
         "INSERT INTO expense VALUES (2, 0, 0, 10, 0.5), (2, 1, 0, 10, 0.25),"
         " (2, 1, 1, 10, 4.0), (1, 1, 0, 10, 1.0)");
  EXPECT_THAT(Of(ReadCaps(database_)),
              ElementsAre("0|cap_usd|7|0", "b|cap_usd|5|4.75",
                          "b|code_cap_usd|2|4.25", "b|day_cap_usd|3|1.75"));
}

TEST_F(CampaignPagesTest, CurvesAndRatesComeByPolicy) {
  Grow(database_, campaign_, kRootNode, {.policy = "aide"});
  Grow(database_, campaign_, kRootNode, {.policy = "stark"});
  const auto first = [](const Result<Listing>& listing) {
    const Listing read = Must(listing);
    return AsLines({read.rows.front(), read.rows.back()});
  };
  // policy, agents, level, p, campaigns, fast, undecided, fast_p.
  const auto rates = first(ReadFastP(database_));
  EXPECT_TRUE(rates[0].starts_with("aide|team|1|0|1|1|0|1")) << rates[0];
  EXPECT_TRUE(rates[1].starts_with("stark|team|1|")) << rates[1];
}

}  // namespace
}  // namespace coppice::store
