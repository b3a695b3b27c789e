#include "store/write/nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "store/care/maintenance.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/records/tier.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodesTest : public ::testing::Test {
 protected:
  // An attempt on the root that came to `candidate`.
  AttemptId Coded(const std::string& source) {
    const auto decision = Must(Campaigns(database_).List())[0].attempts;
    const AttemptId attempt = Must(Attempts(database_).Reserve(
        campaign_, ReservationOf(decision, kRootNode)));
    Calls calls(database_);
    const CallId call = Must(calls.Begin(attempt, IntentOf(Role::kDebug), {}));
    Must(calls.EndWithCandidate(call, AnswerOf(source),
                                {Language::kCpp, source, "run"}, {}));
    return attempt;
  }
  NodeRecord Child(std::int64_t number, const std::string& source) {
    NodeRecord node = RootNode(source);
    node.id = NodeId{number};
    node.parent = kRootNode;
    return node;
  }
  Error CommitError(std::optional<AttemptId> attempt, const NodeRecord& node) {
    const auto committed = nodes_.Commit(campaign_, attempt, node, 1000.0);
    EXPECT_FALSE(committed.has_value());
    return committed ? Error{} : committed.error();
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  CampaignId campaign_ = Plant(database_, "a");
  Nodes nodes_{database_};
};

TEST_F(NodesTest, ANodeComesBackWithEverything) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const AttemptId attempt = Coded("int x;");
  NodeRecord node = Child(1, "int x;");
  node.plan = Plan{"advice", "technique", "<<<>>>", 2, false};
  node.footprint = {7, 3};
  node.trials = {
      {"T=1", Verdict::kPassed, Speedup{2.0, Interval{1.9, 2.1}}, 3.0, true},
      {"T=2", Verdict::kTimedOut, {}, 4.0, false}};
  Evaluation& evaluation = node.evaluation;
  evaluation.tier = Tier::kFull;
  evaluation.log = "a log";
  evaluation.compile_s = 1.0;
  evaluation.check_s = 2.0;
  evaluation.timing_s = 3.0;
  evaluation.device_s = 0.5;
  evaluation.profile = "bound by memory";
  evaluation.environment.hardware = "cpu";
  evaluation.environment.threads = 2;
  evaluation.environment.system = "Linux 6";
  evaluation.environment.driver = "580.1";
  evaluation.environment.facts = "2 cores";
  evaluation.environment.compiler = "g++ 12";
  evaluation.environment.flags = "-O3";
  evaluation.environment.libraries = {{"libc", "2.36"}, {"torch", "2.1"}};
  WorkloadResult failed;
  failed.workload = "w1";
  failed.verdict = Verdict::kWrongOutput;
  failed.worst_error_ratio = kInfinity;
  failed.max_absolute_error = std::nan("");
  evaluation.workloads[0].samples_s = {0.1, 0.25, 1e-9};
  evaluation.workloads[0].root_samples_s = {4.0, 4.5, 5.0};
  evaluation.workloads[0].control_samples_s = {4.1, 4.4, 5.1};
  evaluation.workloads[0].between_processes = {1e-4, 6.5};
  evaluation.workloads[0].readings = {
      {0, 64, 0.2, 0.3, 1980.0}, {0, 64, {}, {}, 1965.0}, {1, 1, 0.1, 0.1, {}}};
  evaluation.workloads[0].discarded_samples = 2;
  evaluation.workloads[0].floor_s = 0.05;
  evaluation.workloads[0].temperature_c = 61.0;
  evaluation.workloads[0].profile =
      Profile{.shape = "N=7",
              .runtime_s = 0.1,
              .bytes = 28.0,
              .flops = 14.0,
              .roof_bytes_per_s = 1e9,
              .roof_flops_per_s = 2e9,
              .counters = {.instructions = 1e3, .page_faults = 0.0},
              .kernels = {{.name = "partial",
                           .calls = 2,
                           .total_s = 0.05,
                           .registers = 40,
                           .shared_bytes = 4096,
                           .local_bytes = 16,
                           .occupancy = 0.5,
                           .limit = ResidencyLimit::kSharedMemory,
                           .dram_bytes = 1e6,
                           .busy = 0.25,
                           .achieved_occupancy = 0.375,
                           .l2_hits = 0.75},
                          {.name = "finish", .calls = 1}},
              .note = "noted"};
  evaluation.workloads.push_back(failed);
  Must(nodes_.Commit(campaign_, attempt, node, 1001.0));

  const NodeRecord read = Must(nodes_.Load(campaign_, NodeId{1}));
  EXPECT_EQ(read.id, NodeId{1});
  EXPECT_EQ(read.uuid, node.uuid);
  EXPECT_EQ(read.parent, kRootNode);
  EXPECT_EQ(read.candidate.value().source, "int x;");
  EXPECT_EQ(read.candidate.value().entry_symbol, "run");
  EXPECT_EQ(read.plan.value().advice, "advice");
  EXPECT_EQ(read.plan.value().annotated_source, "<<<>>>");
  EXPECT_FALSE(read.plan.value().grounded);
  EXPECT_EQ(read.footprint.changed_inside, 7);
  EXPECT_EQ(read.footprint.changed_outside, 3);
  ASSERT_EQ(read.trials.size(), 2u);
  EXPECT_EQ(read.trials[0].values, "T=1");
  EXPECT_TRUE(read.trials[0].is_chosen);
  EXPECT_EQ(read.trials[0].speedup->ratio, 2.0);
  EXPECT_EQ(read.trials[0].speedup->interval->low, 1.9);
  EXPECT_EQ(read.trials[0].evaluator_s, 3.0);
  EXPECT_EQ(read.trials[1].verdict, Verdict::kTimedOut);
  EXPECT_FALSE(read.trials[1].speedup);
  EXPECT_EQ(read.evaluation.verdict, Verdict::kPassed);
  EXPECT_EQ(read.evaluation.tier, Tier::kFull);
  EXPECT_EQ(read.evaluation.log, "a log");
  EXPECT_EQ(read.evaluation.runtime_s, 4.0);
  EXPECT_EQ(read.evaluation.root_runtime_s, 4.0);
  EXPECT_EQ(read.evaluation.compile_s, 1.0);
  EXPECT_EQ(read.evaluation.check_s, 2.0);
  EXPECT_EQ(read.evaluation.timing_s, 3.0);
  EXPECT_EQ(read.evaluation.device_s, 0.5);
  EXPECT_EQ(read.evaluation.profile, "bound by memory");
  EXPECT_EQ(read.evaluation.environment, evaluation.environment);
  ASSERT_EQ(read.evaluation.workloads.size(), 2u);
  EXPECT_THAT(read.evaluation.workloads[0].samples_s,
              ElementsAre(0.1, 0.25, 1e-9));
  EXPECT_THAT(read.evaluation.workloads[0].root_samples_s,
              ElementsAre(4.0, 4.5, 5.0));
  EXPECT_THAT(read.evaluation.workloads[0].control_samples_s,
              ElementsAre(4.1, 4.4, 5.1));
  EXPECT_EQ(read.evaluation.workloads[0].between_processes->variance, 1e-4);
  EXPECT_EQ(read.evaluation.workloads[0].between_processes->freedom, 6.5);
  EXPECT_EQ(read.evaluation.workloads[0].calls_verified, 1);
  EXPECT_EQ(read.evaluation.workloads[0].discarded_samples, 2);
  EXPECT_EQ(read.evaluation.workloads[0].floor_s, 0.05);
  EXPECT_EQ(read.evaluation.workloads[0].temperature_c, 61.0);
  const Profile& profile = read.evaluation.workloads[0].profile.value();
  EXPECT_EQ(profile.shape, "N=7");
  EXPECT_EQ(profile.runtime_s, 0.1);
  EXPECT_EQ(profile.bytes, 28.0);
  EXPECT_EQ(profile.flops, 14.0);
  EXPECT_EQ(profile.roof_bytes_per_s, 1e9);
  EXPECT_EQ(profile.roof_flops_per_s, 2e9);
  EXPECT_EQ(profile.counters,
            (Counters{.instructions = 1e3, .page_faults = 0.0}));
  EXPECT_EQ(profile.note, "noted");
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels[0].name, "partial");
  EXPECT_EQ(profile.kernels[0].calls, 2);
  EXPECT_EQ(profile.kernels[0].total_s, 0.05);
  EXPECT_EQ(profile.kernels[0].registers, 40);
  EXPECT_EQ(profile.kernels[0].shared_bytes, 4096);
  EXPECT_EQ(profile.kernels[0].local_bytes, 16);
  EXPECT_EQ(profile.kernels[0].occupancy, 0.5);
  EXPECT_EQ(profile.kernels[0].limit, ResidencyLimit::kSharedMemory);
  EXPECT_EQ(profile.kernels[0].dram_bytes, 1e6);
  EXPECT_EQ(profile.kernels[0].busy, 0.25);
  EXPECT_EQ(profile.kernels[0].achieved_occupancy, 0.375);
  EXPECT_EQ(profile.kernels[0].l2_hits, 0.75);
  EXPECT_EQ(profile.kernels[1].name, "finish");
  EXPECT_EQ(profile.kernels[1].total_s, std::nullopt);
  EXPECT_EQ(profile.kernels[1].limit, std::nullopt);
  EXPECT_EQ(read.evaluation.workloads[1].profile, std::nullopt);
  const std::vector<SampleReading>& readings =
      read.evaluation.workloads[0].readings;
  ASSERT_EQ(readings.size(), 3u);
  EXPECT_EQ(readings[0].calls, 64);
  EXPECT_EQ(readings[0].wall_s, 0.2);
  EXPECT_EQ(readings[0].cpu_s, 0.3);
  EXPECT_EQ(readings[0].clock_mhz, 1980.0);
  EXPECT_EQ(readings[1].wall_s, std::nullopt);
  EXPECT_EQ(readings[2].session, 1);
  EXPECT_EQ(read.evaluation.workloads[1].workload, "w1");
  EXPECT_EQ(read.evaluation.workloads[1].worst_error_ratio, kInfinity);
  EXPECT_TRUE(std::isnan(read.evaluation.workloads[1].max_absolute_error));
  EXPECT_TRUE(read.evaluation.workloads[1].samples_s.empty());
}

TEST_F(NodesTest, ANodeWithoutACandidateHasNone) {
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kNoCandidate});
  const NodeRecord node = Must(nodes_.Load(campaign_, NodeId{1}));
  EXPECT_FALSE(node.candidate.has_value());
  EXPECT_FALSE(node.evaluation.runtime_s.has_value());
  EXPECT_EQ(node.evaluation.verdict, Verdict::kNoCandidate);
}

TEST_F(NodesTest, ADebuggedNodeSharesThePlanOfItsParent) {
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kCrashed});
  const NodeRecord parent = Must(nodes_.Load(campaign_, NodeId{1}));
  Attempts attempts(database_);
  Calls calls(database_);
  const AttemptId attempt =
      Must(attempts.Reserve(campaign_, ReservationOf(1, NodeId{1})));
  const CallId call = Must(calls.Begin(attempt, IntentOf(Role::kDebug), {}));
  Must(calls.EndWithCandidate(call, AnswerOf("fixed"),
                              {Language::kCpp, "fixed", "run"}, {}));
  NodeRecord node = RootNode("fixed");
  node.id = NodeId{2};
  node.parent = NodeId{1};
  node.plan = parent.plan;
  Must(nodes_.Commit(campaign_, attempt, node, 1002.0));
  EXPECT_EQ(Must(nodes_.Load(campaign_, NodeId{2})).plan.value().advice,
            parent.plan.value().advice);
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM plan"), ElementsAre("1"));
}

TEST_F(NodesTest, OneCommitMovesEverythingThatBelongsToIt) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  EXPECT_EQ(Must(Campaigns(database_).List())[0].nodes, 2);
  EXPECT_THAT(Rows(database_, "SELECT stage, node, verdict FROM attempts"),
              ElementsAre("committed|1|passed"));
  EXPECT_THAT(Rows(database_, "SELECT rank, node, speedup FROM leaderboard"),
              ElementsAre("1|1|2", "2|0|1"));
  EXPECT_THAT(
      Rows(database_, "SELECT subject FROM event WHERE kind = 'committed'"),
      ElementsAre("0", "1"));
}

TEST_F(NodesTest, ATakenNumberIsBusyAndAGapIsMisuse) {
  const AttemptId attempt = Coded("x");
  const Error taken = CommitError(attempt, Child(0, "x"));
  EXPECT_EQ(taken.code, Errc::kBusy);
  EXPECT_THAT(taken.what, HasSubstr("node 0 is taken"));
  EXPECT_EQ(CommitError(attempt, Child(2, "x")).code, Errc::kUsage);
}

TEST_F(NodesTest, AnAttemptYieldsOneNode) {
  const AttemptId attempt = Coded("x");
  Must(nodes_.Commit(campaign_, attempt, Child(1, "x"), 1001.0));
  EXPECT_EQ(CommitError(attempt, Child(2, "x")).code, Errc::kUsage);
}

// Its attempt wrote T = 1, and T = 2 won: who writes T = 1 again finds it.
TEST_F(NodesTest, WhatTuningMadeOfASourceIsFoundByThatSource) {
  const AttemptId attempt = Coded("int T = 1;");
  NodeRecord node = Child(1, "int T = 2;");
  node.evaluation.check_s = 2.0;
  node.trials = {{"T=1", Verdict::kPassed, Speedup{1.0, {}}, 3.0, false},
                 {"T=2", Verdict::kPassed, Speedup{4.0, {}}, 2.0, true}};
  Must(nodes_.Commit(campaign_, attempt, node, 1001.0));
  const Candidate written{Language::kCpp, "int  T = 1;", "run"};
  EXPECT_EQ(Must(nodes_.FindTuned(campaign_, written)), NodeId{1});
  EXPECT_EQ(Must(nodes_.FindEqual(campaign_, written)), std::nullopt);
  EXPECT_EQ(Must(nodes_.FindTuned(campaign_, *node.candidate)), std::nullopt);
  // Both trials, the chosen one's as the node's evaluation.
  EXPECT_THAT(Rows(database_, "SELECT evaluator_s FROM campaign"),
              ElementsAre("5"));
  NodeRecord repeated = Child(2, "int T = 2;");
  repeated.same_as = NodeId{1};
  Must(nodes_.Commit(campaign_, Coded("int T = 1;"), repeated, 1002.0));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// Node 1 has "a;", node 2 has not, node 3 has it again.
TEST_F(NodesTest, LinesThatTheLineageDeletedAreCountedWhenTheyAreBack) {
  const CampaignId campaign = Plant(database_, "b");
  const NodeId with =
      Grow(database_, campaign, kRootNode, {.source = "a;\nb;"});
  const NodeId without = Grow(database_, campaign, with, {.source = "b;"});
  const NodeId again = Grow(database_, campaign, without, {.source = "a;\nc;"});
  EXPECT_EQ(Must(nodes_.Load(campaign, without)).again.lines, 0);
  const RepeatedLines told = Must(nodes_.Load(campaign, again)).again;
  EXPECT_EQ(told.lines, 1);
  EXPECT_EQ(told.deleted_by, without);
}

TEST_F(NodesTest, WhoLostAnAttemptDoesNotCommitIt) {
  const AttemptId attempt = Coded("x");
  const AttemptRecord adopted =
      Must(Attempts(database_).Adopt(attempt, "other", 9000.0, 9001.0));
  EXPECT_EQ(CommitError(attempt, Child(1, "x")).code, Errc::kLost);
  Must(nodes_.Commit(campaign_, adopted.AsHeld(), Child(1, "x"), 9000.0));
  EXPECT_EQ(CommitError(attempt, Child(2, "x")).code, Errc::kLost);
  EXPECT_EQ(Must(Campaigns(database_).List())[0].nodes, 2);
}

TEST_F(NodesTest, OnlyACodedAttemptMayBeCommitted) {
  const AttemptId attempt =
      Must(Attempts(database_).Reserve(campaign_, ReservationOf(0, kRootNode)));
  const Error error = CommitError(attempt, Child(1, "x"));
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what, HasSubstr("attempt 1 is not coded yet"));
}

TEST_F(NodesTest, TheNodeIsTheOneItsAttemptCameTo) {
  const AttemptId attempt = Coded("x");
  EXPECT_THAT(CommitError(attempt, Child(1, "another source")).what,
              HasSubstr("has another candidate than its attempt"));
  NodeRecord elsewhere = Child(1, "x");
  elsewhere.parent.reset();
  EXPECT_THAT(CommitError(attempt, elsewhere).what,
              HasSubstr("has another parent"));
  const CampaignId other = Plant(database_, "b");
  const auto foreign = nodes_.Commit(other, attempt, Child(1, "x"), 1.0);
  ASSERT_FALSE(foreign.has_value());
  EXPECT_EQ(foreign.error().code, Errc::kNotFound);
}

TEST_F(NodesTest, OnlyTheRootHasNoAttempt) {
  EXPECT_THAT(CommitError(std::nullopt, Child(1, "x")).what,
              HasSubstr("only the root has none"));
}

TEST_F(NodesTest, APassHasASpeedupAndAFailureHasNone) {
  const AttemptId attempt = Coded("x");
  NodeRecord node = Child(1, "x");
  node.evaluation.speedup.reset();
  EXPECT_EQ(CommitError(attempt, node).code, Errc::kUsage);
  EXPECT_EQ(Must(Campaigns(database_).List())[0].nodes, 1);
}

// 2 x and 0.5 x: pooled without intervals, 1 x.
TEST_F(NodesTest, FurtherEvaluationsThatPassSharpenWhatItCountsFor) {
  Grow(database_, campaign_, kRootNode, {.runtime_s = 2.0});
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kPassed, 8.0), 1100.0));
  Evaluation open = EvaluationOf(Verdict::kInconclusive, {});
  open.tier = Tier::kFull;
  Must(nodes_.AddEvaluation(campaign_, NodeId{1}, open, 1200.0));
  const NodeRecord node = Must(nodes_.Load(campaign_, NodeId{1}));
  EXPECT_EQ(node.evaluation.runtime_s, 2.0);
  EXPECT_DOUBLE_EQ(node.worth.speedup->ratio, 1.0);
  EXPECT_THAT(Rows(database_,
                   "SELECT ordinal, verdict, runtime_s, evaluated_at_s"
                   " FROM evaluations WHERE node = 1 ORDER BY ordinal"),
              ElementsAre("0|passed|2|1001", "1|passed|8|1100",
                          "2|inconclusive|-|1200"));
  EXPECT_THAT(
      Rows(database_,
           "SELECT node, round(speedup, 9), confirmed FROM leaderboard"),
      ElementsAre("0|1|0", "1|1|0"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(NodesTest, MissingNodesAreNotFound) {
  EXPECT_EQ(nodes_.Load(campaign_, NodeId{5}).error().code, Errc::kNotFound);
  EXPECT_EQ(nodes_
                .AddEvaluation(campaign_, NodeId{5},
                               EvaluationOf(Verdict::kPassed, 1.0), 1.0)
                .error()
                .code,
            Errc::kNotFound);
  EXPECT_EQ(nodes_.Commit(CampaignId{5}, {}, RootNode(), 1.0).error().code,
            Errc::kNotFound);
}

TEST_F(NodesTest, AScanGivesTheTreeInOrder) {
  Grow(database_, campaign_, kRootNode, {.source = "a", .runtime_s = 2.0});
  Grow(database_, campaign_, NodeId{1},
       {.source = "b", .verdict = Verdict::kCrashed});
  Grow(database_, campaign_, NodeId{1}, {.source = "a", .runtime_s = 1.5});
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kNoCandidate});
  Plant(database_, "other");
  std::vector<NodeSummary> nodes;
  Must(nodes_.Scan(
      campaign_, [&nodes](const NodeSummary& node) { nodes.push_back(node); }));
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0].id, kRootNode);
  EXPECT_FALSE(nodes[0].parent.has_value());
  EXPECT_EQ(nodes[2].parent, NodeId{1});
  EXPECT_EQ(nodes[2].verdict, Verdict::kCrashed);
  EXPECT_FALSE(nodes[2].runtime_s.has_value());
  EXPECT_EQ(nodes[3].runtime_s, nodes[1].runtime_s);
  EXPECT_TRUE(nodes[3].is_repeat);
  EXPECT_EQ(nodes[3].kernel_hash, nodes[1].kernel_hash);
  EXPECT_NE(nodes[3].kernel_hash, nodes[2].kernel_hash);
  EXPECT_NE(nodes[3].kernel_hash, 0u);
  EXPECT_EQ(nodes[4].kernel_hash, 0u);
}

TEST_F(NodesTest, AVisitorMayLoadButNotWrite) {
  std::vector<std::string> sources;
  Must(nodes_.Scan(campaign_, [&](const NodeSummary& node) {
    sources.push_back(Must(nodes_.Load(campaign_, node.id)).candidate->source);
    EXPECT_FALSE(Campaigns(database_).Create(SpecNamed("b")).has_value());
  }));
  EXPECT_THAT(sources, ElementsAre("root kernel"));
}

TEST_F(NodesTest, AScanOfNothingVisitsNothing) {
  Must(nodes_.Scan(CampaignId{77}, [](const NodeSummary&) { FAIL(); }));
}

TEST_F(NodesTest, AScreeningGoesBeforeTheEvaluationThatDecides) {
  const AttemptId attempt = Coded("x");
  NodeRecord node = Child(1, "x");
  node.screening = EvaluationOf(Verdict::kPassed, 1.0);
  node.evaluation = EvaluationOf(Verdict::kPassed, 2.0);
  node.evaluation.tier = Tier::kFull;
  Must(nodes_.Commit(campaign_, attempt, node, 1001.0));
  EXPECT_EQ(Must(nodes_.Load(campaign_, NodeId{1})).evaluation.runtime_s, 2.0);
  EXPECT_THAT(Rows(database_,
                   "SELECT ordinal, further, tier, runtime_s FROM evaluations"
                   " WHERE node = 1"),
              ElementsAre("0|-|fast|1", "1|-|full|2"));
  EXPECT_THAT(Rows(database_,
                   "SELECT node, round(speedup, 3), confirmed FROM leaderboard"
                   " WHERE node = 1"),
              ElementsAre("1|2.828|1"));  // The geometric mean of 4 and 2.
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// ln(1.5) is the tree's; the hint is no speed, and in no view of any.
TEST_F(NodesTest, AHintAndACostComeBackAndAreNoSpeed) {
  const AttemptId attempt = Coded("x");
  NodeRecord node = Child(1, "x");
  node.evaluation = EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  node.evaluation.compile_s = 0.5;
  node.evaluation.check_s = 0.25;
  node.evaluation.timing_s = 0.125;
  node.evaluation.hint =
      Hint{.factor = 1.5, .low = 1.25, .high = 1.75, .samples = 5};
  Must(nodes_.Commit(campaign_, attempt, node, 1001.0));
  const auto hint = Must(nodes_.Load(campaign_, NodeId{1})).evaluation.hint;
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->factor, 1.5);
  EXPECT_EQ(hint->low, 1.25);
  EXPECT_EQ(hint->high, 1.75);
  EXPECT_EQ(hint->samples, 5);
  std::vector<NodeSummary> nodes;
  Must(nodes_.Scan(campaign_,
                   [&](const NodeSummary& each) { nodes.push_back(each); }));
  EXPECT_EQ(nodes.at(1).log_hint, static_cast<float>(std::log(1.5)));
  EXPECT_EQ(nodes.at(1).cost_s, 0.875F);
  EXPECT_FALSE(nodes.at(1).runtime_s);
  EXPECT_THAT(Rows(database_,
                   "SELECT hint_factor, hint_low, hint_high, hint_samples,"
                   " speedup, runtime_s FROM nodes WHERE node = 1"),
              ElementsAre("1.5|1.25|1.75|5|-|-"));
  EXPECT_THAT(Rows(database_, "SELECT node FROM leaderboard"),
              ElementsAre("0"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(NodesTest, OnlyAWrongOutputOfTheFastTierMayHaveAHint) {
  const Hint hint{.factor = 1.5, .low = 1.25, .high = 1.75, .samples = 5};
  const AttemptId attempt = Coded("x");
  NodeRecord node = Child(1, "x");
  node.evaluation.hint = hint;  // It passes.
  EXPECT_FALSE(nodes_.Commit(campaign_, attempt, node, 1001.0));
  node.evaluation = EvaluationOf(Verdict::kCrashed, std::nullopt);
  node.evaluation.hint = hint;
  EXPECT_FALSE(nodes_.Commit(campaign_, attempt, node, 1001.0));
  node.evaluation = EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  node.evaluation.tier = Tier::kFull;
  node.evaluation.hint = hint;
  EXPECT_FALSE(nodes_.Commit(campaign_, attempt, node, 1001.0));
  node.evaluation.tier = Tier::kFast;
  EXPECT_TRUE(nodes_.Commit(campaign_, attempt, node, 1001.0));
}

// A would-be best costs its proof, too; what is found out later costs nobody's
// attempt.
TEST_F(NodesTest, TheCostIsOfAllThatItWasCommittedWith) {
  const AttemptId attempt = Coded("x");
  NodeRecord node = Child(1, "x");
  node.screening = EvaluationOf(Verdict::kPassed, 1.0);
  node.screening->check_s = 0.5;
  node.evaluation = EvaluationOf(Verdict::kPassed, 1.0);
  node.evaluation.tier = Tier::kFull;
  node.evaluation.check_s = 2.0;
  Must(nodes_.Commit(campaign_, attempt, node, 1001.0));
  Grow(database_, campaign_, kRootNode, {.check_s = 0.25});
  Evaluation further = EvaluationOf(Verdict::kPassed, 1.0);
  further.check_s = 4.0;
  Must(nodes_.AddEvaluation(campaign_, NodeId{2}, further, 1003.0));
  const Evaluation none = EvaluationOf(Verdict::kPassed, 1.0);
  const double other_s = none.compile_s + none.timing_s;
  std::vector<float> costs_s;
  Must(nodes_.Scan(campaign_, [&](const NodeSummary& each) {
    costs_s.push_back(each.cost_s);
  }));
  ASSERT_EQ(costs_s.size(), 3u);
  EXPECT_FLOAT_EQ(costs_s[1], static_cast<float>(2.5 + 2 * other_s));
  EXPECT_FLOAT_EQ(costs_s[2], static_cast<float>(0.25 + other_s));
}

// What the quarantine leaves of a node everywhere.
TEST_F(NodesTest, ANodeThatIsRefutedCountsAsFailedFromThenOn) {
  Grow(database_, campaign_, kRootNode, {.source = "fast", .runtime_s = 1.0});
  Grow(database_, campaign_, kRootNode, {.source = "slow", .runtime_s = 2.0});
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kWrongOutput, {}), 1100.0));

  const NodeRecord node = Must(nodes_.Load(campaign_, NodeId{1}));
  EXPECT_EQ(node.evaluation.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(node.evaluation.log, "log: wrong_output");
  std::vector<Verdict> seen;
  Must(nodes_.Scan(campaign_, [&](const NodeSummary& summary) {
    seen.push_back(summary.verdict);
    EXPECT_EQ(summary.runtime_s.has_value(),
              summary.verdict == Verdict::kPassed);
  }));
  EXPECT_THAT(seen, ElementsAre(Verdict::kPassed, Verdict::kWrongOutput,
                                Verdict::kPassed));
  for (const auto& [sql, row] :
       {std::pair("SELECT group_concat(node) FROM leaderboard", "2,0"),
        std::pair("SELECT verdict, runtime_s, speedup, quarantined_at_s"
                  " FROM nodes WHERE node = 1",
                  "wrong_output|-|-|1100"),
        std::pair("SELECT verdict FROM attempts WHERE node = 1",
                  "wrong_output"),
        std::pair("SELECT verdict, runtime_s FROM lineage"
                  " WHERE node = 1 AND ancestor = 1",
                  "wrong_output|-"),
        std::pair("SELECT group_concat(best_speedup) FROM best_so_far",
                  "1.0,1.0,2.0"),
        std::pair("SELECT verdict, nodes FROM failures", "wrong_output|1"),
        std::pair("SELECT fast FROM fast_p WHERE p = 2.0", "0"),
        std::pair("SELECT last_speedup, ordinal FROM quarantined", "4|1"),
        std::pair("SELECT group_concat(verdict) FROM evaluations"
                  " WHERE node = 1",
                  "passed,wrong_output")}) {
    EXPECT_THAT(Rows(database_, sql), ElementsAre(row)) << sql;
  }
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

// A later leader finds its place among those that are left.
TEST_F(NodesTest, TheQuarantineIsForGoodAndOthersMoveUp) {
  Grow(database_, campaign_, kRootNode, {.source = "a", .runtime_s = 1.0});
  for (const Verdict verdict : {Verdict::kTimedOut, Verdict::kPassed}) {
    const bool passed = verdict == Verdict::kPassed;
    Must(nodes_.AddEvaluation(
        campaign_, NodeId{1},
        EvaluationOf(verdict, passed ? std::optional(1.0) : std::nullopt),
        1100.0));
  }
  Grow(database_, campaign_, kRootNode, {.source = "b", .runtime_s = 3.0});
  EXPECT_THAT(Rows(database_, "SELECT rank, node FROM leaderboard"),
              ElementsAre("1|2", "2|0"));
  EXPECT_EQ(Must(nodes_.Load(campaign_, NodeId{1})).evaluation.verdict,
            Verdict::kTimedOut);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(NodesTest, NeitherTheRootNorAFailingNodeNorAnOpenVerdictQuarantines) {
  Grow(database_, campaign_, kRootNode, {.source = "a", .runtime_s = 1.0});
  Grow(database_, campaign_, kRootNode,
       {.source = "b", .verdict = Verdict::kCrashed});
  const auto add = [&](std::int64_t node, Verdict verdict) {
    Must(nodes_.AddEvaluation(campaign_, NodeId{node},
                              EvaluationOf(verdict, {}), 1100.0));
  };
  add(0, Verdict::kWrongOutput);
  add(1, Verdict::kInconclusive);
  add(2, Verdict::kWrongOutput);
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM quarantined"),
              ElementsAre("0"));
}

class EqualKernelsTest : public NodesTest {
 protected:
  // Commits what was not evaluated, for its tokens are those of `original`.
  void CommitSame(std::int64_t number, const std::string& source,
                  NodeId original) {
    NodeRecord node = Child(number, source);
    node.same_as = original;
    Must(nodes_.Commit(campaign_, Coded(source), node, 1000.0));
  }
};

TEST_F(EqualKernelsTest, AreFoundByTheirTokens) {
  Grow(database_, campaign_, kRootNode, {.source = "int x = 1;"});
  const auto find = [&](const std::string& source) {
    return Must(nodes_.FindEqual(campaign_, {Language::kCpp, source, "run"}));
  };
  EXPECT_EQ(find("int  x = 1;  // One."), NodeId{1});
  EXPECT_EQ(find("int x = 2;"), std::nullopt);
  EXPECT_EQ(find("root kernel"), kRootNode);
  const CampaignId other = Plant(database_, "b");
  EXPECT_EQ(
      Must(nodes_.FindEqual(other, {Language::kCpp, "int x = 1;", "run"})),
      std::nullopt);
}

TEST_F(EqualKernelsTest, ShareAllThatIsFoundOutOfThem) {
  Grow(database_, campaign_, kRootNode, {.source = "int x;", .runtime_s = 1.0});
  CommitSame(2, "int x; // again", NodeId{1});
  EXPECT_THAT(Rows(database_,
                   "SELECT node, same_as, verdict, speedup FROM nodes"
                   " WHERE node > 0"),
              ElementsAre("1|-|passed|4", "2|1|passed|4"));
  EXPECT_EQ(Must(nodes_.Load(campaign_, NodeId{2})).evaluation.runtime_s, 1.0);
  // By either name.
  Must(nodes_.AddEvaluation(campaign_, NodeId{2},
                            EvaluationOf(Verdict::kCrashed, {}), 1100.0));
  EXPECT_THAT(
      Rows(database_,
           "SELECT node, verdict, log_blob IS NOT NULL, quarantined_at_s"
           " FROM nodes WHERE node > 0"),
      ElementsAre("1|crashed|1|1100", "2|crashed|1|1100"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(EqualKernelsTest, MustBeEqual) {
  Grow(database_, campaign_, kRootNode, {.source = "int x;"});
  NodeRecord node = Child(2, "int y;");
  node.same_as = NodeId{1};
  EXPECT_THAT(CommitError(Coded("int y;"), node).what,
              HasSubstr("node 2 is not the same as node 1"));
}

// Another process judged it at the same time.
TEST_F(EqualKernelsTest, ThatWereJudgedTwicePoolWhatWasFound) {
  Grow(database_, campaign_, kRootNode, {.source = "int x;", .runtime_s = 1.0});
  Grow(database_, campaign_, kRootNode, {.source = "int x;", .runtime_s = 4.0});
  EXPECT_THAT(Rows(database_,
                   "SELECT node, same_as, round(speedup, 9) FROM nodes"
                   " WHERE node > 0"),
              ElementsAre("1|-|2", "2|1|2"));
  EXPECT_THAT(Rows(database_,
                   "SELECT node, ordinal, further FROM evaluations"
                   " WHERE node > 0"),
              ElementsAre("1|0|-", "1|1|1"));
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(EqualKernelsTest, OfTheRootAreAsFastAsTheRoot) {
  CommitSame(1, "root kernel /* indeed */", kRootNode);
  EXPECT_THAT(
      Rows(database_, "SELECT node, same_as, speedup, speedup_low FROM nodes"),
      ElementsAre("0|-|1|1", "1|0|1|1"));
}

// It never passed: nothing was refuted, by the events and by all views.
TEST_F(NodesTest, WhatIsSettledAsAFailureIsNotQuarantined) {
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kWrongOutput, {}), 1100.0));
  EXPECT_THAT(Rows(database_,
                   "SELECT verdict, quarantined_at_s,"
                   " (SELECT count(*) FROM quarantined),"
                   " (SELECT count(*) FROM event WHERE kind = 'quarantined')"
                   " FROM nodes WHERE node = 1"),
              ElementsAre("wrong_output|-|0|0"));
  EXPECT_FALSE(Must(ReadLine(database_, campaign_, NodeId{1})).is_quarantined);
  EXPECT_THAT(Must(Diagnose(database_)), IsEmpty());
}

TEST_F(NodesTest, WhatIsUndecidedIsFoundAndSettled) {
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kInconclusive, {}), 1100.0));
  auto undecided = Must(nodes_.ReadUndecided(campaign_));
  ASSERT_EQ(undecided.size(), 2u);
  EXPECT_EQ(undecided[0].node, NodeId{2});
  EXPECT_EQ(undecided[1].evaluations, 2);
  Must(nodes_.AddEvaluation(campaign_, NodeId{2},
                            EvaluationOf(Verdict::kPassed, 2.0), 1100.0));
  undecided = Must(nodes_.ReadUndecided(campaign_));
  ASSERT_EQ(undecided.size(), 1u);
  EXPECT_EQ(undecided[0].node, NodeId{1});
  EXPECT_EQ(Must(nodes_.Load(campaign_, NodeId{2})).worth.verdict,
            Verdict::kPassed);
  EXPECT_THAT(Rows(database_, "SELECT count(*) FROM quarantined"),
              ElementsAre("0"));
}

TEST_F(NodesTest, ANodeKnowsItsAttempt) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode);
  Grow(database_, campaign_, kRootNode);
  EXPECT_EQ(Must(nodes_.AttemptOf(campaign_, NodeId{1})), AttemptId{2});
  EXPECT_EQ(Must(nodes_.AttemptOf(other, NodeId{1})), AttemptId{1});
  EXPECT_EQ(Must(nodes_.AttemptOf(campaign_, kRootNode)), std::nullopt);
  EXPECT_EQ(nodes_.AttemptOf(campaign_, NodeId{2}).error().code,
            Errc::kNotFound);
}

// The root is judged again, and counts for what it did at first.
TEST_F(NodesTest, TheSecondsOfTheRootAreThoseOfItsCommit) {
  const CampaignId other = Plant(database_, "b");
  Must(nodes_.AddEvaluation(campaign_, kRootNode,
                            EvaluationOf(Verdict::kPassed, 8.0), 1100.0));
  Grow(database_, other, kRootNode, {.runtime_s = 1.0});
  EXPECT_THAT(Rows(database_,
                   "SELECT root_runtime_s, further, nodes, updated_at_s"
                   " FROM campaign ORDER BY campaign_id"),
              ElementsAre("4|1|1|1000", "4|0|2|1001"));
}

// Two of them: the lower number.
TEST_F(NodesTest, WhatIsUndecidedIsOfTheCampaign) {
  const CampaignId other = Plant(database_, "b");
  Grow(database_, other, kRootNode, {.verdict = Verdict::kInconclusive});
  Grow(database_, campaign_, kRootNode);
  EXPECT_THAT(Must(nodes_.ReadUndecided(campaign_)), IsEmpty());
  for (int i = 0; i < 2; ++i) {
    Grow(database_, campaign_, kRootNode, {.verdict = Verdict::kInconclusive});
  }
  const auto undecided = Must(nodes_.ReadUndecided(campaign_));
  ASSERT_EQ(undecided.size(), 2u);
  EXPECT_EQ(undecided[0].node, NodeId{2});
  EXPECT_EQ(undecided[1].node, NodeId{3});
}

TEST_F(NodesTest, EventsTellWhatBefellANode) {
  Grow(database_, campaign_, kRootNode);
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kCrashed, {}), 1100.0));
  Must(nodes_.AddEvaluation(campaign_, NodeId{1},
                            EvaluationOf(Verdict::kCrashed, {}), 1200.0));
  EXPECT_THAT(Rows(database_, "SELECT at_s, kind, subject, detail FROM event"),
              ElementsAre("1000|created|-|", "1000|committed|0|",
                          "1001|committed|1|", "1100|evaluated|1|",
                          "1100|quarantined|1|crashed", "1200|evaluated|1|"));
}

// Nothing runs 0 times as fast, and what passes has a speed instead.
TEST_F(NodesTest, AHintThatCannotBeIsDamage) {
  NodeRecord node = Child(1, "x");
  node.evaluation = EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  node.evaluation.hint =
      Hint{.factor = 1.5, .low = 1.25, .high = 1.75, .samples = 5};
  Must(nodes_.Commit(campaign_, Coded("x"), node, 1001.0));
  const auto scanned_after = [&](const std::string& change) {
    Damage(directory_.File("x.db"), change);
    return nodes_.Scan(campaign_, [](const NodeSummary&) {});
  };
  const auto zero = scanned_after(
      "UPDATE evaluation SET hint_factor = 0 WHERE node_number = 1");
  ASSERT_FALSE(zero.has_value());
  EXPECT_EQ(zero.error().code, Errc::kCorrupt);
  EXPECT_THAT(zero.error().what, HasSubstr("node 1 has a hint that cannot be"));
  EXPECT_FALSE(scanned_after("UPDATE evaluation SET hint_factor = 1.5;"
                             "UPDATE node SET verdict = 2 WHERE number = 1")
                   .has_value());
}

}  // namespace
}  // namespace coppice::store
