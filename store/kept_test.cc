// The sums of a file, each held to what it sums up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/care/maintenance.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/random.h"
#include "store/recount.h"
#include "store/scratch.h"
#include "store/write/claims.h"
#include "store/write/settlement.h"
#include "store/write/wire_calls.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kDay_s = 86400.0;

// Roots take 4 s, so that a node of 1 s has a speedup of 4.  What is measured
// of one kernel is pooled by the geometric mean: of 4 and 1 that is 2.
class SummaryTablesTest : public ::testing::Test {
 protected:
  std::vector<std::string> Ask(const std::string& sql) {
    return Rows(database_, sql);
  }
  void Evaluate(CampaignId campaign, std::int64_t node, double runtime_s) {
    Must(nodes_.AddEvaluation(campaign, NodeId{node},
                              EvaluationOf(Verdict::kPassed, runtime_s),
                              3000.0));
  }
  void Refute(CampaignId campaign, std::int64_t node) {
    Must(nodes_.AddEvaluation(campaign, NodeId{node},
                              EvaluationOf(Verdict::kWrongOutput, {}), 3000.0));
  }
  // Nodes that take so long, by their policies.
  void GrowAll(const std::vector<double>& runtimes_s,
               const std::string& policy = "stark") {
    for (const double runtime_s : runtimes_s) {
      Grow(database_, a_, kRootNode,
           {.runtime_s = runtime_s, .policy = policy});
    }
  }
  std::vector<std::string> Improvements() {
    return Ask("SELECT number, speedup FROM improvement WHERE campaign_id = 1");
  }
  std::vector<std::string> Trials() {
    return Ask(
        "SELECT policy, verdict, nodes, fastest FROM trial_sum"
        " WHERE campaign_id = 1 AND nodes > 0");
  }
  // Views that differ from a recount.
  std::vector<std::string> Differing() {
    std::vector<std::string> views;
    for (const Recount& recount : ViewRecounts()) {
      if (Ask(DifferencesSql(recount)) != std::vector<std::string>{"0"}) {
        views.push_back(recount.view);
      }
    }
    return views;
  }
  AttemptId Reserve() {
    const auto rows = Must(Campaigns(database_).List());
    return Must(Attempts(database_).Reserve(
        a_, ReservationOf(rows[0].attempts, kRootNode)));
  }
  CallId Ask(AttemptId attempt, double sent_at_s,
             const std::string& model = "m") {
    CallIntent intent = IntentOf(Role::kPlan);
    intent.provider = "p";
    intent.model = model;
    intent.sent_at_s = sent_at_s;
    return Must(calls_.Begin(attempt, intent, {}));
  }
  // At most 1,000 tokens and 2 dollars.
  WireCallId Send(CallId call) {
    WireIntent intent;
    intent.request = "ten bytes!";
    intent.input_tokens_bound = 100;
    intent.output_tokens_bound = 900;
    intent.cost_usd_bound = 2.0;
    intent.sent_at_s = 1000.0;
    return Must(wire_.Begin(call, intent, {}));
  }
  static EndedWireCall Ended(WireCallId id, CallOutcome outcome, Usage usage,
                             std::optional<double> cost_usd) {
    EndedWireCall ended;
    ended.call = id;
    ended.end.outcome = outcome;
    ended.end.usage = usage;
    ended.end.cost_usd = cost_usd;
    ended.end.ended_at_s = 1001.0;
    return ended;
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
  Nodes nodes_{database_};
  Calls calls_{database_};
  WireCalls wire_{database_};
};

// Whoever only reads has no need of them.
TEST_F(SummaryTablesTest, NoTriggerIsInTheFile) {
  EXPECT_THAT(Ask("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"),
              ElementsAre("0"));
}

// A call costs a quarter dollar, 2 s, and 100, 40 and 10 tokens.
TEST_F(SummaryTablesTest, CallsAreSummedUpByRoleModelAndDay) {
  Grow(database_, a_, kRootNode);
  Grow(database_, a_, kRootNode);
  const CallId call = Ask(Reserve(), 1000.0 + kDay_s, "other");
  const std::string columns =
      "SELECT day, role, model, calls, answered, failed, outcome_unknown,"
      " in_flight, input_tokens, cached_input_tokens, output_tokens, cost_usd,"
      " latency_s FROM spend_by_day ORDER BY day, role";
  EXPECT_THAT(Ask(columns),
              ElementsAre("1970-01-01|code|model|2|2|0|0|0|200|80|20|0.5|4",
                          "1970-01-01|plan|model|2|2|0|0|0|200|80|20|0.5|4",
                          "1970-01-02|plan|other|1|0|0|0|1|0|0|0|0|0"));
  CallEnd failed;
  failed.outcome = CallOutcome::kFailed;
  failed.error = "overloaded";
  failed.latency_s = 7.0;
  failed.ended_at_s = 1000.0 + kDay_s;
  Must(calls_.End(call, failed));
  EXPECT_THAT(Ask(columns).back(), "1970-01-02|plan|other|1|0|1|0|0|0|0|0|0|7");
  EXPECT_THAT(Differing(), IsEmpty());
}

// The process died; what it sent is settled as nothing, and then it is learnt
// that it has cost a dollar and a half.
TEST_F(SummaryTablesTest, WhatIsLearntLateIsSummedUp) {
  const AttemptId attempt = Reserve();
  const CallId call = Ask(attempt, 1000.0);
  const WireCallId wire = Send(call);
  Must(Attempts(database_).Adopt(attempt, "other", 5000.0, 9000.0, "worker"));
  const std::string spend =
      "SELECT answered, failed, outcome_unknown, in_flight, input_tokens,"
      " output_tokens, cost_usd FROM spend";
  EXPECT_THAT(Ask(spend), ElementsAre("0|0|1|0|0|0|0"));
  EXPECT_THAT(Ask("SELECT cost_usd, unsettled_usd FROM improvement_costs"),
              ElementsAre("0|2"));
  Must(Settle(database_, {}, SettleAs::kNothing, 6000.0));
  EXPECT_THAT(Ask("SELECT cost_usd, unsettled_usd FROM improvement_costs"),
              ElementsAre("0|0"));
  CallEnd late = AnswerOf("late");
  late.wire = Ended(wire, CallOutcome::kAnswered, {60, 0, 20}, 1.5);
  EXPECT_EQ(calls_.End(call, late).error().code, Errc::kLost);
  EXPECT_THAT(Ask(spend), ElementsAre("0|0|1|0|60|20|1.5"));
  EXPECT_THAT(Differing(), IsEmpty());
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(SummaryTablesTest, ATrialCountsForItsPolicyAndForWhatItCountsForNow) {
  Grow(database_, a_, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, a_, kRootNode, {.verdict = Verdict::kInconclusive});
  GrowAll({2.0, 1.0});
  GrowAll({0.5}, "greedy");
  EXPECT_THAT(Trials(), ElementsAre("greedy|0|1|5", "stark|0|2|4",
                                    "stark|2|1|-", "stark|7|1|-"));
  Refute(a_, 4);
  Evaluate(a_, 2, 4.0);
  EXPECT_THAT(Trials(), ElementsAre("greedy|0|1|5", "stark|0|2|3",
                                    "stark|2|1|-", "stark|4|1|-"));
  EXPECT_THAT(Ask("SELECT policy, verdict, nodes, share FROM failures"),
              ElementsAre("stark|crashed|1|0.25", "stark|wrong_output|1|0.25"));
  Refute(a_, 5);
  EXPECT_THAT(Trials(), ElementsAre("greedy|4|1|-", "stark|0|2|3",
                                    "stark|2|1|-", "stark|4|1|-"));
  EXPECT_EQ(Must(ReadTotals(database_, a_)).verdicts,
            (VerdictCounts{2, 0, 1, 0, 2, 0, 0, 0}));
  EXPECT_THAT(Differing(), IsEmpty());
}

// The fastest is pooled with 4 s: of 4 and 1 that is 2, so that 3 is faster.
// Then it is with 0.25 s: of 4, 1 and 16 that is 4.
TEST_F(SummaryTablesTest, TheFastestTrialIsTheFastestByAllThatWasMeasured) {
  GrowAll({1.0, 1.5, 2.5});
  Evaluate(a_, 1, 4.0);
  EXPECT_THAT(Trials(), ElementsAre("stark|0|3|2"));
  Evaluate(a_, 1, 0.25);
  EXPECT_THAT(Trials(), ElementsAre("stark|0|3|1"));
  EXPECT_THAT(Differing(), IsEmpty());
}

// Node 2 has the tokens of node 1, which another policy's attempt brought.
TEST_F(SummaryTablesTest, ATrialOfKnownTokensIsAsFastAsTheirFirst) {
  Grow(database_, a_, kRootNode, {.source = "int x;", .runtime_s = 2.0});
  Grow(database_, a_, kRootNode,
       {.source = "int x;", .runtime_s = 2.0, .policy = "greedy"});
  Grow(database_, a_, kRootNode, {.runtime_s = 3.0, .policy = "greedy"});
  Grow(database_, a_, kRootNode,
       {.source = "root kernel", .runtime_s = 4.0, .policy = "best_of_k"});
  EXPECT_THAT(Trials(),
              ElementsAre("best_of_k|0|1|4", "greedy|0|2|2", "stark|0|1|1"));
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2"));
  Evaluate(a_, 2, 1.0);
  EXPECT_THAT(Trials(),
              ElementsAre("best_of_k|0|1|4", "greedy|0|2|2", "stark|0|1|1"));
  EXPECT_THAT(Differing(), IsEmpty());
  Refute(a_, 1);
  EXPECT_THAT(Trials(), ElementsAre("best_of_k|0|1|4", "greedy|0|1|3",
                                    "greedy|4|1|-", "stark|4|1|-"));
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "3|1.33333"));
  EXPECT_THAT(Differing(), IsEmpty());
}

// Slower ones of the policy's own and faster ones of others are passed over.
TEST_F(SummaryTablesTest, ThePlaceOfAFallenOneIsTakenByWhoHasItsTokens) {
  Grow(database_, a_, kRootNode, {.source = "int x;", .runtime_s = 2.0});
  Grow(database_, a_, kRootNode,
       {.source = "int x;", .runtime_s = 2.0, .policy = "greedy"});
  GrowAll({1.0, 3.0}, "greedy");
  Refute(a_, 3);
  EXPECT_THAT(Trials(),
              ElementsAre("greedy|0|2|2", "greedy|4|1|-", "stark|0|1|1"));
  EXPECT_THAT(Differing(), IsEmpty());
}

TEST_F(SummaryTablesTest, WhatIsImportedCountsForNoPolicy) {
  const Claim claim{.candidate = {Language::kCpp, "imported", "run"},
                    .origin = "list.json:1"};
  Must(SubmitClaims(database_, a_, {claim}, Judging::kByAttempt, NextUuid,
                    2000.0));
  NodeRecord node = RootNode("imported");
  node.id = NodeId{1};
  node.parent = kRootNode;
  node.evaluation = EvaluationOf(Verdict::kPassed, 0.5);
  Must(nodes_.Commit(a_, Must(Attempts(database_).Unfinished(a_)).at(0).id,
                     node, 2001.0));
  EXPECT_THAT(Trials(), ElementsAre("import|0|1|1"));
  EXPECT_THAT(Differing(), IsEmpty());
}

// Speedups 1, 2, 1.6, 4, 3.2, 8.
TEST_F(SummaryTablesTest, AnImprovementIsFasterThanAllBeforeIt) {
  GrowAll({2.0, 2.5, 1.0, 1.25, 0.5});
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2", "3|4", "5|8"));
  EXPECT_THAT(Ask("SELECT node, best_speedup FROM best_so_far"
                  " WHERE campaign = 'a' AND improved"),
              ElementsAre("0|1", "1|2", "3|4", "5|8"));
  EXPECT_THAT(Ask("SELECT best_speedup, improved FROM best_so_far"
                  " WHERE campaign = 'a' AND node = 4"),
              ElementsAre("4|0"));
}

// Without 3 the fourth is one; without 5 nothing else; without 1 the second.
TEST_F(SummaryTablesTest, WhatARefutedNodeHidIsAnImprovement) {
  GrowAll({2.0, 2.5, 1.0, 1.25, 0.5});
  Refute(a_, 3);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2", "4|3.2", "5|8"));
  Refute(a_, 5);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2", "4|3.2"));
  Refute(a_, 1);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "2|1.6", "4|3.2"));
  EXPECT_THAT(Differing(), IsEmpty());
}

// Node 3 falls from 4 to 2, node 2 rises from 1.6 to 4.52, node 1 to 16.
TEST_F(SummaryTablesTest, ImprovementsFollowWhatIsMeasuredLater) {
  GrowAll({2.0, 2.5, 1.0, 1.25, 0.5});
  Evaluate(a_, 3, 4.0);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2", "4|3.2", "5|8"));
  Evaluate(a_, 2, 0.3125);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|2", "2|4.52548", "5|8"));
  Evaluate(a_, 1, 0.03125);
  EXPECT_THAT(Improvements(), ElementsAre("0|1", "1|16"));
  EXPECT_THAT(Differing(), IsEmpty());
}

TEST_F(SummaryTablesTest, WhereTheRootFailsTheFirstThatPassesImproves) {
  const CampaignId b =
      Must(Campaigns(database_).Create(SpecNamed("no root passes")));
  NodeRecord root = RootNode();
  root.evaluation = EvaluationOf(Verdict::kCrashed, {});
  Must(nodes_.Commit(b, std::nullopt, root, 1000.0));
  Grow(database_, b, kRootNode, {.verdict = Verdict::kCrashed});
  Grow(database_, b, kRootNode, {.runtime_s = 8.0});
  EXPECT_THAT(Ask("SELECT node, best_speedup, improved FROM best_so_far"
                  " WHERE campaign = 'no root passes'"),
              ElementsAre("0|-|0", "1|-|0", "2|0.5|1"));
  EXPECT_THAT(Differing(), IsEmpty());
}

TEST_F(SummaryTablesTest, CampaignsHaveSumsOfTheirOwn) {
  const CampaignId b = Plant(database_, "b");
  GrowAll({2.0, 1.0});
  Grow(database_, b, kRootNode, {.runtime_s = 0.5});
  Refute(a_, 2);
  EXPECT_THAT(Ask("SELECT campaign_id, number FROM improvement"),
              ElementsAre("1|0", "1|1", "2|0", "2|1"));
  EXPECT_THAT(Ask("SELECT campaign_id, verdict, nodes FROM trial_sum"),
              ElementsAre("1|0|1", "1|4|1", "2|0|1"));
  EXPECT_THAT(Ask("SELECT campaign, sum(calls) FROM spend GROUP BY 1"),
              ElementsAre("a|4", "b|2"));
  EXPECT_THAT(Differing(), IsEmpty());
}

// Three campaigns, in which nodes come, and are evaluated again, by chance.
TEST_F(SummaryTablesTest, SumsAreThoseOfARecountWhateverHappens) {
  const std::vector<CampaignId> campaigns = {a_, Plant(database_, "b"),
                                             Plant(database_, "c")};
  constexpr Verdict kVerdicts[] = {Verdict::kPassed, Verdict::kPassed,
                                   Verdict::kPassed, Verdict::kCrashed,
                                   Verdict::kInconclusive};
  RandomStream random(5, Purpose::kSimulation, 0);
  std::vector<std::int64_t> sizes = {1, 1, 1};
  for (int i = 0; i < 120; ++i) {
    const auto at = static_cast<std::size_t>(random.Below(3));
    const auto size = static_cast<std::uint64_t>(sizes[at]);
    const NodeId node{static_cast<std::int64_t>(random.Below(size))};
    const Verdict verdict = kVerdicts[random.Below(5)];
    const double runtime_s = 0.25 * static_cast<double>(1 + random.Below(24));
    if (random.Below(3) > 0) {
      Grow(database_, campaigns[at], node,
           {.source = "kernel " + std::to_string(random.Below(60)),
            .verdict = verdict,
            .runtime_s = runtime_s,
            .policy = random.Below(2) == 0 ? "stark" : "greedy"});
      ++sizes[at];
    } else {
      const std::optional<double> taken =
          verdict == Verdict::kPassed ? std::optional(runtime_s) : std::nullopt;
      Must(nodes_.AddEvaluation(campaigns[at], node,
                                EvaluationOf(verdict, taken), 3000.0));
    }
    ASSERT_THAT(Differing(), IsEmpty()) << "after step " << i;
  }
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// What another program wrote, or a damaged page.
TEST_F(SummaryTablesTest, DoctorFindsAWrongSumAndMendsIt) {
  GrowAll({2.0, 1.0});
  const auto sums = [this] {
    std::vector<std::string> rows = Ask("SELECT * FROM call_sum");
    for (const std::string& row : Ask("SELECT * FROM trial_sum WHERE nodes > 0"
                                      " ORDER BY policy, verdict")) {
      rows.push_back(row);
    }
    for (const std::string& row : Ask("SELECT * FROM improvement")) {
      rows.push_back(row);
    }
    return rows;
  };
  const std::vector<std::string> right = sums();
  const std::string calls = "campaign a has other sums than its calls";
  const std::string trials = "campaign a has other sums than its trials by ";
  const std::string steps = "campaign a has other improvements than its nodes";
  const std::pair<const char*, std::string> kWrongs[] = {
      {"UPDATE call_sum SET failed = 1 WHERE role = 0", calls},
      {"UPDATE call_sum SET cost_usd = cost_usd + 0.001", calls},
      {"UPDATE call_sum SET day = 1 WHERE role = 0", calls},
      {"DELETE FROM call_sum WHERE role = 1", calls},
      {"UPDATE trial_sum SET nodes = 7 WHERE verdict = 0", trials + "stark"},
      {"UPDATE trial_sum SET fastest = 1 WHERE verdict = 0", trials + "stark"},
      {"INSERT INTO trial_sum VALUES (1, 'x', 4, 2, NULL)", trials + "x"},
      {"DELETE FROM trial_sum WHERE verdict = 0", trials + "stark"},
      {"UPDATE improvement SET speedup = 3 WHERE number = 1", steps},
      {"DELETE FROM improvement WHERE number = 0", steps},
      {"INSERT INTO improvement VALUES (1, 7, 9)", steps}};
  for (const auto& [sql, finding] : kWrongs) {
    Damage(directory_.File("x.db"), sql);
    EXPECT_THAT(Must(Diagnose(database_)), ElementsAre(finding)) << sql;
    EXPECT_THAT(Must(Repair(database_, 5000.0,
                            [](const auto&) { return Result<bool>(true); })),
                ElementsAre(finding));
    EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
    EXPECT_EQ(sums(), right) << sql;
  }
}

}  // namespace
}  // namespace coppice::store
