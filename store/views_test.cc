// The views are a contract: these tests hold their columns and meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/records/behaviour.h"
#include "store/records/evaluation.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;

// Campaign "a" (policy stark), root 4 s:
//
//   0 root 4 s --- 1 "tile" 2 s --- 3 "unroll" 1 s
//              '-- 2 crashed    '-- 4 wrong_output
//              '-- 5 no candidate
//
// and campaign "b", only its root.
class ViewsTest : public ::testing::Test {
 protected:
  ViewsTest() {
    Grow(database_, a_, NodeId{0},
         {.source = "s1", .runtime_s = 2.0, .advice = "tile"});
    Grow(database_, a_, NodeId{0},
         {.source = "s2", .verdict = Verdict::kCrashed});
    Grow(database_, a_, NodeId{1},
         {.source = "s3", .runtime_s = 1.0, .advice = "unroll"});
    Grow(database_, a_, NodeId{1},
         {.source = "s4", .verdict = Verdict::kWrongOutput});
    Grow(database_, a_, NodeId{0}, {.verdict = Verdict::kNoCandidate});
  }
  std::vector<std::string> Ask(const std::string& sql) {
    return Rows(database_, sql);
  }
  std::string Columns(const std::string& view) {
    return Ask("SELECT group_concat(name, ' ') FROM pragma_table_info('" +
               view + "')")[0];
  }
  // The plan's steps, without those over tables of names.
  std::string Plan(const std::string& sql) {
    std::string plan;
    for (const std::string& row : Ask("EXPLAIN QUERY PLAN " + sql)) {
      plan += row + "\n";
    }
    return plan;
  }

  // Gives every node but the roots an interval, up to the factor.
  void PutIntervals(double factor) {
    Damage(directory_.File("x.db"),
           "UPDATE node SET speedup_low = speedup / " + std::to_string(factor) +
               ", speedup_high = speedup * " + std::to_string(factor) +
               " WHERE number > 0");
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId a_ = Plant(database_, "a");
  CampaignId b_ = Plant(database_, "b");
};

// A label that is none is there, and a node without a plan, too.
TEST_F(ViewsTest, TechniquesAreNamesAndArguments) {
  Grow(database_, a_, NodeId{1}, {.technique = "jam(j, 32) + parallel(i)"});
  Grow(database_, a_, NodeId{6}, {.technique = "fewer (much fewer) loads"});
  const std::string columns = "technique_name, technique_arguments";
  EXPECT_THAT(Ask("SELECT " + columns +
                  " FROM nodes WHERE campaign = 'a'"
                  " AND node IN (0, 1, 6, 7) ORDER BY node"),
              ElementsAre("-|-", "tile|", "jam + parallel|j, 32; i",
                          "fewer (much fewer) loads|"));
  EXPECT_THAT(Ask("SELECT " + columns +
                  " FROM attempts WHERE campaign = 'a'"
                  " AND node = 6"),
              ElementsAre("jam + parallel|j, 32; i"));
  // What came after what.
  EXPECT_THAT(Ask("SELECT p.technique_name, n.technique_name FROM nodes n"
                  " JOIN nodes p ON p.campaign = n.campaign"
                  " AND p.node = n.parent WHERE n.node = 7"),
              ElementsAre("jam + parallel|fewer (much fewer) loads"));
}

TEST_F(ViewsTest, ColumnsAreTheContract) {
  EXPECT_EQ(Columns("nodes"),
            "campaign task node parent verdict runtime_s speedup speedup_low "
            "speedup_high hint_factor hint_low hint_high hint_samples same_as "
            "technique technique_name technique_arguments advice decision "
            "policy reason changed_inside "
            "changed_outside language entry_symbol committed_at_s uuid "
            "quarantined_at_s source_blob annotated_source_blob log_blob "
            "profile_blob lines_again lines_deleted_by limited_by "
            "technique_family origin author");
  EXPECT_EQ(Columns("tuning_trials"),
            "campaign node ordinal configuration verdict speedup speedup_low "
            "speedup_high evaluator_s chosen");
  EXPECT_EQ(Columns("evaluations"),
            "campaign node ordinal further tier verdict runtime_s "
            "root_runtime_s speedup speedup_low speedup_high compile_s check_s "
            "timing_s device_s "
            "evaluated_at_s hardware threads system driver compiler flags "
            "facts log_blob profile_blob baseline device rule hint_factor "
            "hint_low hint_high hint_samples");
  EXPECT_EQ(Columns("evidence"),
            "campaign task node parent technique technique_name "
            "technique_arguments after verdict rule effect effect_low "
            "effect_high told bound language hardware log_blob");
  EXPECT_EQ(Columns("lessons"),
            "lesson campaign origin_file origin_campaign origin_uuid "
            "origin_node task operation types log_elements language hardware "
            "bound program technique verdict rule effect effect_low "
            "effect_high speedup best failure note nearness added_at_s");
  EXPECT_EQ(Columns("directives"),
            "campaign directive uuid at_s author kind node role aspect amount "
            "target not_before outcome effective_decision refusal attempts "
            "text_blob");
  EXPECT_EQ(Columns("device_times"),
            "campaign device evaluations busy_s share");
  EXPECT_EQ(Columns("workload_results"),
            "campaign node ordinal position workload verdict "
            "worst_error_ratio max_absolute_error max_relative_error "
            "calls_verified samples discarded_samples lower_quartile_s "
            "median_s upper_quartile_s root_lower_quartile_s root_median_s "
            "root_upper_quartile_s floor_s clock_mhz temperature_c");
  EXPECT_EQ(Columns("profiles"),
            "campaign node ordinal position workload shape runtime_s bound "
            "roof_share bytes bytes_per_s roof_bytes_per_s flops flops_per_s "
            "roof_flops_per_s instructions cycles cache_misses branch_misses "
            "page_faults note");
  EXPECT_EQ(Columns("kernels"),
            "campaign node ordinal position workload place kernel calls "
            "total_s mean_s registers shared_bytes local_bytes occupancy "
            "residency_limit dram_bytes busy achieved_occupancy l2_hits");
  EXPECT_EQ(
      Columns("samples"),
      "campaign node ordinal position workload round_index runtime_s "
      "root_runtime_s control_runtime_s session calls wall_s cpu_s clock_mhz");
  EXPECT_EQ(Columns("quarantined"),
            "campaign task node verdict ordinal last_speedup technique "
            "advice quarantined_at_s source_blob log_blob");
  EXPECT_EQ(Columns("attempts"),
            "campaign decision uuid parent policy reason stage technique "
            "technique_name technique_arguments advice anchors grounded "
            "language changed_inside changed_outside "
            "no_candidate_reason node verdict lease_owner lease_until_s "
            "reserved_at_s nodes_seen further_seen attempts_left "
            "annotated_source_blob source_blob");
  EXPECT_EQ(Columns("model_choices"),
            "campaign task decision node role model models rule reason verdict "
            "gain answers cost_usd");
  EXPECT_EQ(Columns("model_scores"),
            "campaign task role model chosen asked passed improved mean_gain "
            "best_gain cost_usd usd_per_improvement");
  EXPECT_EQ(Columns("parents"), "campaign decision node position parent");
  EXPECT_EQ(Columns("leaderboard"),
            "campaign task rank node runtime_s speedup speedup_low "
            "speedup_high confirmed technique advice source_blob origin "
            "author");
  EXPECT_EQ(Columns("lineage"),
            "campaign node generation ancestor verdict runtime_s speedup "
            "technique advice");
  EXPECT_EQ(Columns("best_so_far"),
            "campaign task policy seed attempts node committed_at_s "
            "since_start_s runtime_s speedup best_speedup improved agents");
  EXPECT_EQ(Columns("windows"),
            "campaign decision role call_id position node kinship shown");
  EXPECT_EQ(Columns("spend"),
            "campaign task role provider model calls answered failed "
            "outcome_unknown in_flight input_tokens cached_input_tokens "
            "output_tokens cost_usd latency_s is_claimed");
  EXPECT_EQ(Columns("spend_by_day"),
            "campaign task day role provider model calls answered failed "
            "outcome_unknown in_flight input_tokens cached_input_tokens "
            "output_tokens cost_usd latency_s is_claimed");
  EXPECT_EQ(Columns("assistant_turns"),
            "assistant_turn_id conversation question_number campaign role "
            "provider model served_model outcome error sent_at_s ended_at_s "
            "latency_s retry_of input_tokens cached_input_tokens output_tokens "
            "is_estimated cost_usd price_version charged_usd question_blob "
            "request_blob answer_blob");
  EXPECT_EQ(Columns("improvement_costs"),
            "campaign task policy attempts cost_usd unsettled_usd improvements "
            "usd_per_improvement best_speedup claimed_usd");
  EXPECT_EQ(Columns("tickets"),
            "campaign decision ticket agent request place roles state "
            "asked_at_s deadline_s told_at_s max_cost_usd late_for node "
            "verdict");
  EXPECT_EQ(Columns("session_calls"),
            "campaign decision role number call_id tool state starts "
            "begun_at_s ended_at_s arguments_blob answer_blob");
  EXPECT_EQ(Columns("wire_calls"),
            "campaign decision call_id role provider model wire_call_id "
            "retry_of outcome error http_status request_id sent_at_s "
            "ended_at_s latency_s served_model temperature top_p "
            "max_output_tokens effort input_tokens cached_input_tokens "
            "cache_write_tokens output_tokens reasoning_tokens is_estimated "
            "cost_usd price_version settled_at_s charged_tokens "
            "charged_usd request_blob "
            "answer_blob is_claimed");
  EXPECT_EQ(Columns("failures"), "campaign task policy verdict nodes share");
  EXPECT_EQ(Columns("grounding"),
            "campaign task policy grounded repaired nodes candidates "
            "lines_inside lines_outside kept_inside passed beat_parent "
            "undecided");
  EXPECT_EQ(Columns("policy_curve"),
            "task policy agents attempts campaigns solved best_speedup "
            "least_speedup greatest_speedup");
  EXPECT_EQ(Columns("fast_p"),
            "policy agents level p campaigns fast undecided fast_p");
  EXPECT_EQ(Columns("fast_p_over"),
            "policy agents level baseline quoted p campaigns fast undecided "
            "fast_p");
  EXPECT_EQ(Columns("baselines"),
            "campaign task baseline quoted hardware tier verdict speedup "
            "speedup_low speedup_high best_node best_speedup "
            "best_over_baseline best_over_low best_over_high decided "
            "measured_at_s log_blob");
  EXPECT_EQ(Columns("thresholds"), "p above below");
  EXPECT_EQ(Columns("fast_tasks"),
            "campaign task level policy agents seed over quoted speedup "
            "speedup_low speedup_high p fast decided");
  EXPECT_EQ(Columns("perf_at_k"),
            "campaign task level policy agents seed baseline quoted k "
            "perf_at_k perf_low perf_high decided");
  EXPECT_EQ(Columns("claims"),
            "campaign task claim origin author language imported_at_s "
            "claimed_correct "
            "claimed_speedup claimed_runtime_s decision node verdict speedup "
            "speedup_low speedup_high source_blob");
  EXPECT_EQ(Columns("trials"),
            "campaign task level policy agents seed node compiled correct "
            "undecided speedup speedup_low speedup_high efficiency");
  EXPECT_EQ(Columns("scores"),
            "campaign task level policy agents seed trials compiled correct "
            "undecided best_speedup best_low best_high");
  EXPECT_EQ(Columns("scores_in_memory"),
            "landscape definition rules policy seed attempts solved "
            "log_speedup speedup compiled correct");
  EXPECT_EQ(Columns("rates"),
            "policy agents level campaigns trials compile_rate correct_rate "
            "success undecided speedup geometric_mean_speedup");
  EXPECT_EQ(Columns("at_k"),
            "campaign task level policy agents seed trials undecided k "
            "pass_at_k speedup_at_k speedup_at_k_low speedup_at_k_high "
            "efficiency_at_k");
}

TEST_F(ViewsTest, NodesReadWithoutTheRecords) {
  EXPECT_THAT(Ask("SELECT node, parent, verdict, runtime_s, speedup, advice,"
                  " language, decision FROM nodes WHERE campaign = 'a'"
                  " ORDER BY node"),
              ElementsAre("0|-|passed|4|1|-|cpp|-", "1|0|passed|2|2|tile|cpp|0",
                          "2|0|crashed|-|-|tile the loop|cpp|1",
                          "3|1|passed|1|4|unroll|cpp|2",
                          "4|1|wrong_output|-|-|tile the loop|cpp|3",
                          "5|0|no_candidate|-|-|tile the loop|-|4"));
}

TEST_F(ViewsTest, TextsOfANodeAreAFunctionAway) {
  EXPECT_THAT(Ask("SELECT blob_text(source_blob),"
                  " blob_text(annotated_source_blob), blob_text(log_blob)"
                  " FROM nodes WHERE campaign = 'a' AND node = 3"),
              ElementsAre("s3|<<<s3>>>|log: passed"));
}

// A node has what it was committed with; the root has no technique.
TEST_F(ViewsTest, NodesHaveTheirBehaviour) {
  Outcome outcome;
  outcome.behaviour = {Limit::kLatency, TechniqueFamily::kParallel};
  Grow(database_, a_, NodeId{1}, outcome);
  EXPECT_THAT(Ask("SELECT limited_by, technique_family FROM nodes"
                  " WHERE campaign = 'a' AND node IN (0, 6) ORDER BY node"),
              ElementsAre("-|other", "latency|parallel"));
}

// The best kernel of each task, with the plans that led there.
TEST_F(ViewsTest, BestKernelWithItsLineageOfPlans) {
  EXPECT_THAT(
      Ask("SELECT l.generation, l.ancestor, l.advice, l.speedup"
          " FROM leaderboard b JOIN lineage l USING (campaign, node)"
          " WHERE b.campaign = 'a' AND b.rank = 1 ORDER BY l.generation"),
      ElementsAre("0|0|-|1", "1|1|tile|2", "2|3|unroll|4"));
  EXPECT_THAT(Ask("SELECT * FROM lineage WHERE campaign = 'b'"),
              ElementsAre("b|0|0|0|passed|4|1|-|-"));
}

TEST_F(ViewsTest, BestSoFarByAttemptAndByTime) {
  EXPECT_THAT(Ask("SELECT attempts, since_start_s, runtime_s,"
                  " best_speedup, improved FROM best_so_far"
                  " WHERE campaign = 'a' ORDER BY attempts"),
              ElementsAre("0|0|4|1|1", "1|1|2|2|1", "2|2|-|2|0", "3|3|1|4|1",
                          "4|4|-|4|0", "5|5|-|4|0"));
}

// Five attempts, three failing: one each of three classes.
TEST_F(ViewsTest, FailureClassesPerPolicy) {
  EXPECT_THAT(Ask("SELECT * FROM failures ORDER BY verdict"),
              ElementsAre("a|matmul|stark|crashed|1|0.2",
                          "a|matmul|stark|no_candidate|1|0.2",
                          "a|matmul|stark|wrong_output|1|0.2"));
}

// Five attempts of two calls each; AnswerOf: 100 tokens in, 10 out, 25 cents.
TEST_F(ViewsTest, SpendAddsUp) {
  EXPECT_THAT(Ask("SELECT role, calls, answered, input_tokens,"
                  " cached_input_tokens, output_tokens, cost_usd, latency_s"
                  " FROM spend WHERE campaign = 'a' ORDER BY role"),
              ElementsAre("code|5|5|500|200|50|1.25|10",
                          "plan|5|5|500|200|50|1.25|10"));
  // All within the first hour of 1970.
  EXPECT_THAT(Ask("SELECT day, role, calls, cost_usd FROM spend_by_day"
                  " WHERE campaign = 'a' ORDER BY role"),
              ElementsAre("1970-01-01|code|5|1.25", "1970-01-01|plan|5|1.25"));
}

// Nodes 1 and 3 were the fastest so far: $2.50 for two steps.
TEST_F(ViewsTest, AnImprovementHasItsPrice) {
  EXPECT_THAT(Ask("SELECT campaign, attempts, cost_usd, unsettled_usd,"
                  " improvements, usd_per_improvement, best_speedup"
                  " FROM improvement_costs ORDER BY campaign"),
              ElementsAre("a|5|2.5|0|2|1.25|4", "b|0|0|0|0|-|1"));
}

// At 0 attempts both campaigns have speedup 1, and nothing beside the root;
// later only "a" got so far.
TEST_F(ViewsTest, PolicyCurveAveragesCampaigns) {
  EXPECT_THAT(Ask("SELECT attempts, campaigns, solved, best_speedup"
                  " FROM policy_curve WHERE attempts IN (0, 1, 3)"
                  " ORDER BY attempts"),
              ElementsAre("0|2|0|1", "1|1|1|2", "3|1|1|4"));
}

// "a" reached 4 times the root's speed; "b" has no node but its root, which
// does not count.
TEST_F(ViewsTest, FastPCountsTasksAboveP) {
  EXPECT_THAT(
      Ask("SELECT p, campaigns, fast, fast_p FROM fast_p"
          " WHERE policy = 'stark' AND level = 1 ORDER BY p"),
      ElementsAre("0|2|1|0.5", "0.5|2|1|0.5", "0.8|2|1|0.5", "1|2|1|0.5",
                  "1.5|2|1|0.5", "2|2|1|0.5", "4|2|0|0", "8|2|0|0"));
}

TEST_F(ViewsTest, EvaluationsAndSamplesAreRows) {
  EXPECT_THAT(Ask("SELECT ordinal, tier, verdict, hardware FROM evaluations"
                  " WHERE campaign = 'a' AND node = 1"),
              ElementsAre("0|fast|passed|a processor"));
  EXPECT_THAT(Ask("SELECT workload, round_index, runtime_s, root_runtime_s"
                  " FROM samples WHERE campaign = 'a' AND node = 1"),
              ElementsAre("w0|0|2|4"));
  EXPECT_THAT(Ask("SELECT workload, verdict, calls_verified"
                  " FROM workload_results WHERE campaign = 'a' AND node = 1"),
              ElementsAre("w0|passed|1"));
}

// 100 bytes at 1000 a second are 0.1 s, 40 operations at 200 a second 0.2 s:
// half of the 0.4 s that it took.
TEST_F(ViewsTest, ProfilesAndKernelsAreRows) {
  Evaluation evaluation = EvaluationOf(Verdict::kPassed, 0.4);
  evaluation.profile = "arithmetic bound";
  evaluation.workloads[0].profile =
      Profile{.shape = "N=10",
              .runtime_s = 0.4,
              .bytes = 100.0,
              .flops = 40.0,
              .roof_bytes_per_s = 1000.0,
              .roof_flops_per_s = 200.0,
              .counters = {.page_faults = 3.0},
              .kernels = {{.name = "k",
                           .calls = 4,
                           .total_s = 0.2,
                           .registers = 32,
                           .occupancy = 0.75,
                           .limit = ResidencyLimit::kRegisters}},
              .note = ""};
  Must(Nodes(database_).AddEvaluation(a_, NodeId{1}, evaluation, 2000.0));
  EXPECT_THAT(Ask("SELECT node, ordinal, workload, shape, bound, roof_share,"
                  " bytes_per_s, flops_per_s, page_faults, cycles"
                  " FROM profiles"),
              ElementsAre("1|1|w0|N=10|arithmetic|0.5|250|100|3|-"));
  EXPECT_THAT(Ask("SELECT node, kernel, calls, mean_s, registers, local_bytes,"
                  " occupancy, residency_limit FROM kernels"),
              ElementsAre("1|k|4|0.05|32|-|0.75|registers"));
  EXPECT_THAT(Ask("SELECT blob_text(profile_blob) FROM evaluations"
                  " WHERE ordinal = 1"),
              ElementsAre("arithmetic bound"));
}

// Plans of nodes 3 and 4, below 1, are made ungrounded, and 1 is made to keep
// to its marks.  1 is twice as fast as the root, 3 twice as fast as that, each
// by 1 %; then by a factor of 2.5.
TEST_F(ViewsTest, GroundedEditsAreComparedWithOthers) {
  Damage(directory_.File("x.db"),
         "UPDATE plan SET grounded = 0 WHERE plan_id IN"
         " (SELECT plan_id FROM node WHERE number IN (3, 4))");
  Damage(directory_.File("x.db"),
         "UPDATE node SET changed_outside = 0 WHERE number = 1");
  const char* grounding = "SELECT * FROM grounding ORDER BY grounded";
  EXPECT_THAT(Ask(grounding),
              ElementsAre("a|matmul|stark|0|0|2|2|6|2|0|1|0|1",
                          "a|matmul|stark|1|0|3|2|6|1|1|1|0|1"));
  PutIntervals(1.01);
  EXPECT_THAT(Ask(grounding),
              ElementsAre("a|matmul|stark|0|0|2|2|6|2|0|1|1|0",
                          "a|matmul|stark|1|0|3|2|6|1|1|1|1|0"));
  PutIntervals(2.5);
  EXPECT_THAT(Ask("SELECT beat_parent, undecided FROM grounding"),
              ElementsAre("0|1", "0|1"));
}

// The debug agent's child of node 2 is after the plan of that.
TEST_F(ViewsTest, ARepairIsOfThePlanOfWhatItRepairs) {
  Grow(database_, a_, NodeId{2}, {.source = "s6", .runtime_s = 3.0});
  Damage(directory_.File("x.db"),
         "UPDATE attempt SET plan_id = NULL WHERE decision = 5");
  PutIntervals(1.01);
  EXPECT_THAT(Ask("SELECT grounded, repaired, nodes, passed, beat_parent"
                  " FROM grounding ORDER BY repaired"),
              ElementsAre("1|0|5|2|2", "1|1|1|1|1"));
}

TEST_F(ViewsTest, CampaignsAndSettingsAreRows) {
  EXPECT_THAT(
      Ask("SELECT campaign, task, level, policy, seed, state, attempts, nodes"
          " FROM campaigns ORDER BY campaign"),
      ElementsAre("a|matmul|1|stark|7|running|5|6",
                  "b|matmul|1|stark|7|running|0|1"));
}

// Asked for one campaign, no view reads all nodes, attempts or calls.
TEST_F(ViewsTest, ACampaignIsFoundByIndex) {
  for (const std::string view :
       {"nodes",         "attempts",    "leaderboard",   "lineage",
        "best_so_far",   "windows",     "calls",         "wire_calls",
        "session_calls", "spend",       "spend_by_day",  "improvement_costs",
        "failures",      "evaluations", "tuning_trials", "device_times",
        "baselines",     "claims",      "directives",    "tickets",
        "trials",        "grounding",   "scores",        "at_k",
        "fast_tasks",    "samples",     "profiles",      "kernels"}) {
    const std::string plan =
        Plan("SELECT * FROM " + view + " WHERE campaign = 'a'");
    for (const std::string scan :
         {"SCAN n\n", "SCAN a\n", "SCAN m\n", "SCAN e\n", "SCAN s\n",
          "SCAN r\n", "SCAN node", "SCAN attempt"}) {
      const bool is_small = scan == "SCAN r\n" || scan == "SCAN s\n";
      if (is_small && view != "samples") continue;  // role, stage.
      EXPECT_EQ(plan.find(scan), std::string::npos) << view << ":\n" << plan;
    }
  }
}

TEST_F(ViewsTest, ANodeAndItsLineageAreFoundByKey) {
  for (const std::string view : {"nodes", "lineage", "trials", "best_so_far"}) {
    const std::string plan =
        Plan("SELECT * FROM " + view + " WHERE campaign = 'a' AND node = 3");
    EXPECT_NE(plan.find("SEARCH n USING PRIMARY KEY (campaign_id=? AND "
                        "number=?)"),
              std::string::npos)
        << plan;
  }
}

TEST_F(ViewsTest, ImprovementsAreFoundWithoutTheNodesBetweenThem) {
  EXPECT_NE(Plan("SELECT * FROM best_so_far WHERE campaign = 'a' AND improved")
                .find("SEARCH n USING PRIMARY KEY (campaign_id=? AND "
                      "number=?)"),
            std::string::npos);
}

// Even of all campaigns.  An index holds the few evaluations that are of a
// baseline, and the few requests that are not settled.
TEST_F(ViewsTest, WhatTellsOfCampaignsReadsNoNodesAndCalls) {
  for (const std::string view :
       {"campaigns", "leaderboard", "spend", "spend_by_day",
        "improvement_costs", "failures", "scores", "rates", "fast_p",
        "fast_p_over", "baselines"}) {
    const std::string plan = Plan("SELECT * FROM " + view);
    for (const std::string scan :
         {"SCAN n\n", "SCAN n ", "SCAN l\n", "SCAN l ", "SCAN a\n", "SCAN a ",
          "SCAN m\n", "SCAN m ", "SCAN e\n", "SCAN w\n"}) {
      EXPECT_EQ(plan.find(scan), std::string::npos) << view << ":\n" << plan;
    }
  }
}

}  // namespace
}  // namespace coppice::store
