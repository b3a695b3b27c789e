// The views that hold the field's metrics: expected values are by hand.
#include "store/read/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "store/connection.h"
#include "store/records/node.h"
#include "store/scratch.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Roots take 4 s.  Campaign "a" has, in the order made: 2 s, crashed, 1 s, not
// compiled, no candidate; so n = 5 candidates, c = 2 correct, 3 compiled.
// Campaign "b" has none.
class MetricsTest : public ::testing::Test {
 protected:
  MetricsTest() {
    Grow(database_, a_, kRootNode, {.source = "s1", .runtime_s = 2.0});
    Grow(database_, a_, kRootNode,
         {.source = "s2", .verdict = Verdict::kCrashed});
    Grow(database_, a_, kRootNode, {.source = "s3", .runtime_s = 1.0});
    Grow(database_, a_, kRootNode,
         {.source = "s4", .verdict = Verdict::kCompileFailed});
    Grow(database_, a_, kRootNode, {.verdict = Verdict::kNoCandidate});
  }
  std::vector<std::string> Ask(const std::string& sql) {
    return Rows(database_, sql);
  }
  void AddBaseline(CampaignId campaign, const std::string& name,
                   double runtime_s) {
    Must(AddBaselineEvaluation(database_, campaign, name,
                               EvaluationOf(Verdict::kPassed, runtime_s),
                               2000.0));
  }
  CampaignId PlantAlone(const std::string& name) {
    CampaignSpec spec = SpecNamed(name);
    spec.settings = {{"agents", "alone", "command line"}};
    const CampaignId campaign = Must(Campaigns(database_).Create(spec));
    Must(Nodes(database_).Commit(campaign, std::nullopt, RootNode(), 1000.0));
    return campaign;
  }
  // A kernel from elsewhere that takes 0.5 s.
  void Import(CampaignId campaign, NodeId number) {
    const Claim claim{.candidate = {Language::kCpp, "imported", "run"},
                      .origin = "list.json:1",
                      .is_correct = true,
                      .speedup = 100.0};
    Must(SubmitClaims(database_, campaign, {claim}, Judging::kByAttempt,
                      NextUuid, 2000.0));
    NodeRecord node = RootNode("imported");
    node.id = number;
    node.parent = kRootNode;
    node.evaluation = EvaluationOf(Verdict::kPassed, 0.5);
    Must(Nodes(database_).Commit(
        campaign, Must(Attempts(database_).Unfinished(campaign)).at(0).id, node,
        2001.0));
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
  CampaignId b_ = Plant(database_, "b");
};

TEST_F(MetricsTest, TrialsAreTheCandidates) {
  EXPECT_THAT(Ask("SELECT node, compiled, correct, undecided, speedup"
                  " FROM trials ORDER BY node"),
              ElementsAre("1|1|1|0|2", "2|1|0|0|0", "3|1|1|0|4", "4|0|0|0|0",
                          "5|0|0|0|0"));
}

TEST_F(MetricsTest, AScoreIsOfACampaign) {
  EXPECT_THAT(Ask("SELECT campaign, policy, agents, trials, compiled, correct,"
                  " best_speedup, best_low FROM scores ORDER BY 1"),
              ElementsAre("a|stark|team|5|3|2|4|-", "b|stark|team|0|0|0|-|-"));
}

// Two campaigns, one of which is solved, by a speedup of 4.
TEST_F(MetricsTest, RatesAreOverTrialsAndCampaigns) {
  EXPECT_THAT(Ask("SELECT * FROM rates"),
              ElementsAre("stark|team|1|2|5|0.6|0.4|0.5|0|4|4"));
  Grow(database_, b_, kRootNode, {.runtime_s = 4.0});
  // 6 trials; speedups 4 and 1.
  EXPECT_THAT(Ask("SELECT trials, correct_rate, success, speedup,"
                  " geometric_mean_speedup FROM rates"),
              ElementsAre("6|0.5|1|2.5|2"));
}

TEST_F(MetricsTest, WhatWasRefutedIsNotCorrect) {
  Must(Nodes(database_).AddEvaluation(
      a_, NodeId{3}, EvaluationOf(Verdict::kWrongOutput, {}), 2000.0));
  EXPECT_THAT(Ask("SELECT correct, best_speedup FROM scores"
                  " WHERE campaign = 'a'"),
              ElementsAre("1|2"));
}

TEST_F(MetricsTest, FastPIsStrictlyAbove) {
  EXPECT_THAT(Ask("SELECT p, fast, fast_p FROM fast_p ORDER BY p"),
              ElementsAre("0|1|0.5", "0.5|1|0.5", "0.8|1|0.5", "1|1|0.5",
                          "1.5|1|0.5", "2|1|0.5", "4|0|0", "8|0|0"));
}

// The interval of "a", 3.5 to 4.6, holds 4 and leaves all other thresholds out;
// "b" has nothing but a candidate that is not decided yet.
TEST_F(MetricsTest, AThresholdThatTheIntervalHoldsIsUndecided) {
  Evaluation sure = EvaluationOf(Verdict::kPassed, 1.0);
  sure.speedup = Speedup{4.0, Interval{3.5, 4.6}};
  Must(Nodes(database_).AddEvaluation(a_, NodeId{3}, sure, 2000.0));
  Grow(database_, b_, kRootNode, {.verdict = Verdict::kInconclusive});
  EXPECT_THAT(Ask("SELECT p, campaigns, fast, undecided FROM fast_p"
                  " WHERE p IN (0, 2, 4, 8) ORDER BY p"),
              ElementsAre("0|2|1|1", "2|2|1|1", "4|2|0|2", "8|2|0|1"));
  EXPECT_THAT(Ask("SELECT campaigns, success, undecided FROM rates"),
              ElementsAre("2|0.5|1"));
  // Widths add in squares: ln(4.6 / 3.5) / 2 = 0.137 and ln 1.1 = 0.095 make
  // 0.167, so that 4 / 0.5 = 8 may be 6.8 to 9.5.
  Evaluation torch = EvaluationOf(Verdict::kPassed, 8.0);
  torch.speedup = Speedup{0.5, Interval{0.5 / 1.1, 0.5 * 1.1}};
  Must(AddBaselineEvaluation(database_, a_, "torch", torch, 2000.0));
  EXPECT_THAT(Ask("SELECT p, fast, undecided FROM fast_p_over"
                  " WHERE p IN (4, 8) ORDER BY p"),
              ElementsAre("4|1|0", "8|0|1"));
  EXPECT_THAT(Ask("SELECT decided FROM baselines"), ElementsAre("1"));
}

TEST_F(MetricsTest, ATeamAndAnAgentAloneAreTwo) {
  Grow(database_, PlantAlone("c"), kRootNode, {.runtime_s = 0.25});
  EXPECT_THAT(Ask("SELECT policy, agents, campaigns, fast FROM fast_p"
                  " WHERE p = 8 ORDER BY agents"),
              ElementsAre("stark|alone|1|1", "stark|team|2|0"));
  EXPECT_THAT(Ask("SELECT agents, campaigns, best_speedup FROM policy_curve"
                  " WHERE attempts = 1 ORDER BY agents"),
              ElementsAre("alone|1|16", "team|1|2"));
}

// It would be the best of "a"; and "b" is no failure of stark for it.
TEST_F(MetricsTest, WhatWasImportedIsNoMeritOfThePolicy) {
  Import(a_, NodeId{6});
  Import(b_, NodeId{1});
  EXPECT_THAT(Ask("SELECT campaign, policy, trials, best_speedup FROM scores"
                  " ORDER BY campaign, policy"),
              ElementsAre("a|import|1|8", "a|stark|5|4", "b|import|1|8"));
}

// The second is twice as slow as the root.
TEST_F(MetricsTest, BaselinesAreJudgedBesideTheRoot) {
  AddBaseline(a_, kExpertBaseline, 0.8);
  AddBaseline(a_, "torch", 9.0);
  AddBaseline(a_, "torch", 8.0);  // The latest counts.
  AddBaseline(b_, "torch", 2.0);
  EXPECT_THAT(
      Ask("SELECT campaign, baseline, quoted, speedup,"
          " best_over_baseline FROM baselines"
          " ORDER BY campaign, baseline"),
      ElementsAre("a|expert|0|5|0.8", "a|torch|0|0.5|8", "b|torch|0|2|0.5"));
  EXPECT_THAT(Must(ReadBaselineNames(database_, a_)),
              ElementsAre("expert", "torch"));
  EXPECT_THAT(
      Ask("SELECT baseline, p, campaigns, fast, fast_p"
          " FROM fast_p_over WHERE p IN (0.5, 1, 4)"
          " ORDER BY baseline, p"),
      ElementsAre("expert|0.5|1|1|1", "expert|1|1|0|0", "expert|4|1|0|0",
                  "torch|0.5|2|1|0.5", "torch|1|2|1|0.5", "torch|4|2|1|0.5"));
}

QuotedBaseline Quoted(const std::string& hardware, double mean_s) {
  return {.level = 1,
          .task = "matmul",
          .baseline = "torch",
          .hardware = hardware,
          .mean_s = mean_s,
          .std_s = 0.5,
          .min_s = 1.0,
          .max_s = 9.0,
          .trials = 100,
          .origin = "baseline_time_torch.json"};
}

TEST_F(MetricsTest, QuotedTimesCountOnHardwareOfTheirName) {
  const auto add = [&](const std::vector<QuotedBaseline>& quoted) {
    return Must(AddQuotedBaselines(database_, quoted, 2000.0));
  };
  EXPECT_EQ(add({Quoted("a processor", 3.0), Quoted("another", 5.0)}), 2);
  EXPECT_EQ(add({Quoted("a processor", 3.0)}), 0);
  EXPECT_EQ(add({Quoted("a processor", 6.0)}), 1);  // And so counts.
  EXPECT_THAT(Ask("SELECT campaign, baseline, quoted, hardware,"
                  " round(speedup, 3), best_over_baseline FROM baselines"
                  " ORDER BY campaign"),
              ElementsAre("a|torch|1|a processor|0.667|6",
                          "b|torch|1|a processor|0.667|1.5"));
  EXPECT_THAT(Ask("SELECT quoted, campaigns, fast FROM fast_p_over"
                  " WHERE p = 4"),
              ElementsAre("1|2|1"));
}

TEST_F(MetricsTest, OneQuotedTimeThatIsNoneUndoesAll) {
  EXPECT_FALSE(AddQuotedBaselines(database_,
                                  {Quoted("h", 1.0), Quoted("h", -1.0)}, 2000.0)
                   .has_value());
  EXPECT_THAT(Ask("SELECT * FROM quoted_baseline"), IsEmpty());
}

// In ascending order 0, 0, 0, 2, 4.  4 of C(5, 2) = 10 pairs have the last, 3
// others the one before it: pass@2 = 0.7 = 1 - C(3, 2) / 10 and speedup@2 = 0.4
// * 4 + 0.3 * 2.  6 and 3 of C(5, 3) = 10 triples do.
TEST_F(MetricsTest, AtKIsTheMeanOverAllChoices) {
  EXPECT_THAT(Ask("SELECT campaign, trials, k, round(pass_at_k, 12),"
                  " round(speedup_at_k, 12), efficiency_at_k, speedup_at_k_low"
                  " FROM at_k ORDER BY k"),
              ElementsAre("a|5|1|0.4|1.2|-|-", "a|5|2|0.7|2.2|-|-",
                          "a|5|3|0.9|3|-|-", "a|5|5|1|4|-|-"));
}

// The intervals of 2 and 4 are a tenth below and above.  An expert of 2.4, as
// wide, is not told from the best of two (2.2), and is from one and from five.
// One of 0.8 is told from all.
TEST_F(MetricsTest, PerfAtKSaysWhatIsDecided) {
  Damage(directory_.File("x.db"),
         "UPDATE node SET speedup_low = 0.9 * speedup,"
         " speedup_high = 1.1 * speedup WHERE verdict = 0 AND number > 0");
  EXPECT_THAT(Ask("SELECT round(speedup_at_k_low, 12),"
                  " round(speedup_at_k_high, 12) FROM at_k WHERE k = 2"),
              ElementsAre("1.98|2.42"));
  for (const double ratio : {2.4, 0.8}) {
    Evaluation known = EvaluationOf(Verdict::kPassed, 1.0);
    known.speedup = Speedup{ratio, Interval{0.9 * ratio, 1.1 * ratio}};
    Must(AddBaselineEvaluation(
        database_, a_, ratio > 1.0 ? kExpertBaseline : "torch", known, 2000.0));
  }
  EXPECT_THAT(
      Ask("SELECT baseline, k, round(perf_at_k, 3), decided"
          " FROM perf_at_k ORDER BY 1, 2"),
      ElementsAre("expert|1|0.5|1", "expert|2|0.917|0", "expert|3|1.25|1",
                  "expert|5|1.667|1", "torch|1|1.5|1", "torch|2|2.75|1",
                  "torch|3|3.75|1", "torch|5|5|1"));
  const Metrics metrics = Must(ReadMetrics(database_, {"a"}));
  ASSERT_EQ(metrics.over.size(), 3u);
  EXPECT_EQ(metrics.over[1].perf[0].undecided, 0);
  EXPECT_EQ(metrics.over[1].perf[1].undecided, 1);
}

// The expert is 5 times as fast as the root; the roof allows 0.5 s, which 2 s
// and 1 s use by a quarter and a half.
TEST_F(MetricsTest, AtKAgainstTheRoofAndTheExpert) {
  AddBaseline(a_, kExpertBaseline, 0.8);
  database_.connection().sqlite().exec(
      "UPDATE workload_result SET floor_s = 0.5");
  EXPECT_THAT(
      Ask("SELECT k, round(efficiency_at_k, 12), round(perf_at_k, 12)"
          " FROM at_k JOIN perf_at_k USING (campaign, policy, k) ORDER BY k"),
      ElementsAre("1|0.15|0.24", "2|0.275|0.44", "3|0.375|0.6", "5|0.5|0.8"));
}

// "a" has five candidates of stark's and an imported one; the two of "c" are
// half as fast as its root. sqrt(4 * 0.5) = sqrt(2), but the winners are 4 (8
// with the imported one) and the root.
TEST_F(MetricsTest, TheyAreReadOverCampaignsForTheirOwnPolicies) {
  const CampaignId c = Plant(database_, "c");
  Grow(database_, c, kRootNode, {.source = "t1", .runtime_s = 8.0});
  Grow(database_, c, kRootNode, {.source = "t2", .runtime_s = 8.0});
  AddBaseline(a_, kExpertBaseline, 0.8);
  AddBaseline(a_, "torch", 8.0);
  AddBaseline(c, "torch", 4.0);
  Import(a_, NodeId{6});
  const Metrics metrics = Must(ReadMetrics(database_, {"a", "c"}));
  EXPECT_EQ(metrics.campaigns, 2);
  EXPECT_EQ(metrics.others, 1);
  EXPECT_DOUBLE_EQ(metrics.compile_rate, 5.0 / 7.0);
  EXPECT_DOUBLE_EQ(metrics.correct_rate, 4.0 / 7.0);
  EXPECT_EQ(metrics.success.share, 1.0);
  EXPECT_EQ(metrics.success.undecided, 0);
  ASSERT_EQ(metrics.over.size(), 3u);
  const auto shares = [](const YardstickMetrics& yardstick) {
    std::vector<double> all;
    for (const auto& [p, fast] : yardstick.fast) all.push_back(fast.share);
    return all;
  };
  EXPECT_EQ(metrics.over[0].over, "root");
  EXPECT_EQ(metrics.over[0].campaigns, 2);
  EXPECT_DOUBLE_EQ(metrics.over[0].geometric_mean, std::sqrt(2.0));
  EXPECT_THAT(shares(metrics.over[0]),
              ElementsAre(1, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0));
  EXPECT_EQ(metrics.over[1].over, "expert");
  EXPECT_EQ(metrics.over[1].campaigns, 1);
  EXPECT_THAT(shares(metrics.over[1]), ElementsAre(1, 1, 0, 0, 0, 0, 0, 0));
  // 4 over 0.5, and 0.5 over 1.
  EXPECT_EQ(metrics.over[2].over, "torch");
  EXPECT_DOUBLE_EQ(metrics.over[2].geometric_mean, 2.0);
  // "c" reaches no more than 2: (0.4 + 1) / 2 and (1.2 + 0.5) / 2.
  ASSERT_EQ(metrics.at_k.size(), 2u);
  EXPECT_EQ(metrics.at_k[1].k, 2);
  EXPECT_NEAR(metrics.at_k[0].pass, 0.7, 1e-12);
  EXPECT_NEAR(metrics.at_k[0].speedup, 0.85, 1e-12);
  EXPECT_FALSE(metrics.at_k[0].efficiency.has_value());
  ASSERT_EQ(metrics.over[1].perf.size(), 4u);
  EXPECT_NEAR(metrics.over[1].perf[1].perf, 0.44, 1e-12);
  EXPECT_EQ(metrics.over[1].perf[1].undecided, 1);  // There are no intervals.
  // (2.4 + 0.5) / 2 and (4.4 + 0.5) / 2.
  ASSERT_EQ(metrics.over[2].perf.size(), 2u);
  EXPECT_NEAR(metrics.over[2].perf[1].perf, 2.45, 1e-12);

  const Summary summary = Must(ReadSummary(database_, {"a", "c"}));
  EXPECT_DOUBLE_EQ(summary.geometric_mean, std::sqrt(8.0));
  EXPECT_EQ(summary.success.share, 1.0);
  EXPECT_EQ(summary.fast_1.share, 0.5);
  EXPECT_EQ(summary.fast_1.undecided, 2);  // There are no intervals.
}

TEST_F(MetricsTest, OfNothingThereAreNone) {
  const Metrics metrics = Must(ReadMetrics(database_, {"b"}));
  EXPECT_EQ(metrics.campaigns, 1);
  EXPECT_EQ(metrics.success.share, 0.0);
  EXPECT_THAT(metrics.at_k, IsEmpty());
  EXPECT_EQ(Must(ReadSummary(database_, {"b"})).geometric_mean, 1.0);
  EXPECT_TRUE(Must(ReadMetrics(database_, {})).over.empty());
}

// What claims go by (Speedup::Sign) and what thresholds are decided by.
TEST_F(MetricsTest, ThresholdsAreDecidedAsClaimsAre) {
  EXPECT_THAT(Ask("SELECT p FROM thresholds ORDER BY p"),
              ElementsAre("0", "0.5", "0.8", "1", "1.5", "2", "4", "8"));
  std::vector<double> p;
  for (const std::string& row : Ask("SELECT p FROM thresholds ORDER BY p")) {
    p.push_back(std::stod(row));
  }
  EXPECT_TRUE(std::ranges::equal(p, kFastThresholds));
  for (const double threshold : kFastThresholds) {
    if (threshold == 0.0) continue;
    for (const double low : {1.004, 1.006}) {
      for (const double side : {1.0, -1.0}) {
        const double end = threshold * std::pow(low, side);
        const Speedup speedup{end, Interval{end, end}};
        const auto said =
            Ask("SELECT " + std::to_string(end) + " > above OR " +
                std::to_string(end) + " < below FROM thresholds WHERE p = " +
                std::to_string(threshold));
        EXPECT_THAT(said, ElementsAre(speedup.Sign(threshold) != 0 ? "1" : "0"))
            << end << " at " << threshold;
      }
    }
  }
}

// 1 - C(n - c, k) / C(n, k) of 200 candidates, every fourth correct, where the
// binomials are beyond the integers: by the product over i = 0 to k - 1 of
// (150 - i) / (200 - i).
TEST_F(MetricsTest, AtKStaysExactForMany) {
  const CampaignId many = PlantAlone("many");
  for (int i = 0; i < 200; ++i) {
    Grow(database_, many, kRootNode,
         {.verdict = i % 4 == 0 ? Verdict::kPassed : Verdict::kCrashed,
          .runtime_s = 1.0});
  }
  double none = 1.0;
  std::vector<std::string> expected;
  for (int k = 1; k <= 10; ++k) {
    none *= (151.0 - k) / (201.0 - k);
    if (k == 4 || (k > 5 && k < 10)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%d|%.9f", k, 1.0 - none);
    expected.emplace_back(text);
  }
  EXPECT_EQ(Ask("SELECT k, printf('%.9f', pass_at_k) FROM at_k"
                " WHERE campaign = 'many' AND k <= 10 ORDER BY k"),
            expected);
  EXPECT_THAT(Ask("SELECT k, pass_at_k > 1 - 1e-9 FROM at_k"
                  " WHERE campaign = 'many' AND k = 200"),
              ElementsAre("200|1"));
}

// A quarter of what a cut request may cost was used: the rest is unsettled.
TEST_F(MetricsTest, ACutStreamIsCountedOnce) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(b_, ReservationOf(0, kRootNode)));
  const CallId call =
      Must(Calls(database_).Begin(attempt, IntentOf(Role::kPlan), {}));
  database_.connection().sqlite().exec(
      "INSERT INTO wire_call (call_id, request_blob, sent_at_s,"
      " input_tokens_bound, output_tokens_bound, cost_usd_bound, outcome,"
      " cost_usd, ended_at_s) SELECT call_id, user_prompt_blob, 0, 0, 0, 1.0, "
      "3,"
      " 0.25, 1 FROM model_call WHERE call_id = " +
      std::to_string(Index(call)));
  database_.connection().sqlite().exec(
      "UPDATE model_call SET cost_usd = 0.25 WHERE call_id = " +
      std::to_string(Index(call)));
  EXPECT_THAT(Ask("SELECT cost_usd, unsettled_usd FROM improvement_costs"
                  " WHERE campaign = 'b'"),
              ElementsAre("0.25|0.75"));
}

}  // namespace
}  // namespace coppice::store
