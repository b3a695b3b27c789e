#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/cli/cli_fixture.h"
#include "store/records/evaluation.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ShowTest : public ::testing::Test, protected Rehearsal {};

TEST_F(ShowTest, PrintsWhatTheAgentsWereAsked) {
  const std::string code =
      "==== code agent: system\nYou are an agent: code\n"
      "==== code agent: user\nDo what an agent does.\n";
  EXPECT_EQ(Say({"show", "3", "--prompts"}).out,
            "==== plan agent: system\nYou are an agent: plan\n"
            "==== plan agent: user\nDo what an agent does.\n" +
                code);
  EXPECT_EQ(Say({"show", "3", "--prompts", "--role", "code"}).out, code);
  const auto calls =
      nlohmann::json::parse(Say({"show", "3", "--prompts", "--json"}).out);
  EXPECT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1]["answer"], "code: one\nthree\n");
}

TEST_F(ShowTest, NobodyWasAskedForTheRoot) {
  EXPECT_EQ(Say({"show", "root", "--prompts"}).err,
            "coppice show: a: no agent was asked for node 0\n");
  EXPECT_EQ(Say({"show", "root", "--prompts", "--json"}).out, "[]\n");
  EXPECT_EQ(Say({"show", "3", "--prompts", "--role", "debug"}).err,
            "coppice show: a: no debug agent was asked for node 3\n");
  EXPECT_EQ(Say({"show", "3", "--prompts", "--role", "boss"}).err,
            "coppice show: --role boss: expected plan, code or debug\n");
  EXPECT_EQ(Say({"show", "3", "--role", "code"}).exit, Exit::kUsage);
}

TEST_F(ShowTest, TellsPlanVerdictTimesAndLog) {
  const std::string out = Say({"show", "3"}).out;
  EXPECT_THAT(out, HasSubstr("node        3 of a (matmul)\n"));
  EXPECT_THAT(out, HasSubstr("origin      child of 1, chosen by stark "
                             "(exploit: best eligible)\n"));
  EXPECT_THAT(out, HasSubstr("plan        unroll it\n"));
  EXPECT_THAT(out, HasSubstr("edits       3 lines in the marked spans, 1 "
                             "outside\n"));
  EXPECT_THAT(out, HasSubstr("verdict     passed (fast tier)\n"));
  EXPECT_THAT(out,
              HasSubstr("speedup     4x (too few rounds) over all that was "
                        "measured: 1.00 s where the root took 4.00 s\n"));
  EXPECT_THAT(out, HasSubstr("measured    4x (too few rounds) by paired "
                             "rounds; cannot be told from the root\n"
                             "runtime     1.00 s; the root, 4.00 s (medians of "
                             "all rounds)\n"));
  EXPECT_THAT(out, HasSubstr("\nlog: passed\n"));
}

// The quartiles of 1, 2, 3, 4, 9 by linear interpolation are 2, 3 and 4.
TEST_F(ShowTest, ShowsMedianAndQuartilesOfEachWorkload) {
  Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, 3.0);
  evaluation.workloads[0].samples_s = {9.0, 1.0, 3.0, 2.0, 4.0};
  evaluation.workloads[0].root_samples_s = {6.0, 6.0, 6.0, 6.0, 6.0};
  evaluation.workloads[0].discarded_samples = 14;
  evaluation.speedup = Speedup{2.2, Interval{1.9, 2.6}};
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, evaluation, 2000.0));
  const std::string out = Say({"show", "3"}).out;
  EXPECT_THAT(out, HasSubstr("    root     speedup (95 %)  rounds"));
  EXPECT_THAT(out, HasSubstr("w0        passed   3.00 s  2.00 s to 4.00 s  "
                             "6.00 s  2.20x (1.90-2.60)       5"));
  EXPECT_THAT(out,
              HasSubstr("disturbed   busy machine: 14 of these rounds were "
                        "made again\n"));
}

TEST_F(ShowTest, ShowsWhatLimitsTheKernel) {
  Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, 3.0);
  Profile& profile = evaluation.workloads[0].profile.emplace();
  profile.runtime_s = 3.0;
  profile.bytes = 6.0;
  profile.roof_bytes_per_s = 4.0;
  profile.kernels.emplace_back().name = "tile";
  evaluation.profile =
      "Memory bound at 50 %.\n\nThe hottest loop: 3 instructions.\n"
      "```text\njne loop\n```\n";
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, evaluation, 2000.0));
  EXPECT_THAT(Say({"show", "3"}).out,
              HasSubstr("profile     Memory bound at 50 %.\n"
                        "hot loop    The hottest loop: 3 instructions.\n"));
  const auto node = nlohmann::json::parse(Say({"show", "3", "--json"}).out);
  EXPECT_EQ(node["evaluations"][1]["profile"], evaluation.profile);
  const auto& shown = node["evaluations"][1]["workloads"][0]["profile"];
  EXPECT_EQ(shown["bound"], "memory");
  EXPECT_EQ(shown["bytes"], 6.0);
  EXPECT_EQ(shown["counters"]["cycles"], nullptr);
  EXPECT_EQ(shown["kernels"][0]["name"], "tile");
  EXPECT_EQ(node["evaluations"][0]["workloads"][0]["profile"], nullptr);
}

TEST_F(ShowTest, TheRootHasNoPlan) {
  const std::string out = Say({"show", "root"}).out;
  EXPECT_THAT(out, HasSubstr("origin      the root"));
  EXPECT_THAT(out, Not(HasSubstr("plan ")));
}

TEST_F(ShowTest, AFailureHasNoRuntime) {
  const std::string out = Say({"show", "2"}).out;
  EXPECT_THAT(out, HasSubstr("verdict     crashed (fast tier)\n"));
  EXPECT_THAT(out, Not(HasSubstr("runtime ")));
}

TEST_F(ShowTest, TheSourceComesByteForByte) {
  EXPECT_EQ(Say({"show", "1", "--source"}).out, "one\ntwo\n");
  EXPECT_EQ(Say({"show", "0", "--source"}).out, "root kernel");
}

TEST_F(ShowTest, ProgramsGetTheSourceAsAText) {
  EXPECT_EQ(Say({"show", "1", "--source", "--json"}).out,
            "{\n  \"node\": 1,\n  \"source\": \"one\\ntwo\\n\"\n}\n");
  const Said both = Say({"show", "1", "--source", "--prompts"});
  EXPECT_EQ(both.exit, Exit::kUsage);
  EXPECT_EQ(both.err, "coppice show: --source: does not go with --prompts\n");
}

TEST_F(ShowTest, AnAnswerWithoutKernelHasNoSource) {
  store::Grow(database(), campaign(), kRootNode,
              {.verdict = Verdict::kNoCandidate});
  const Said said = Say({"show", "4", "--source"});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice show: a: node 4 has no source (no_candidate)\n");
  EXPECT_EQ(Say({"show", "4"}).exit, Exit::kDone);
}

TEST_F(ShowTest, JsonHoldsAllSamples) {
  const auto node = nlohmann::json::parse(Say({"show", "3", "--json"}).out);
  EXPECT_EQ(node["node"], 3);
  EXPECT_EQ(node["parent"], 1);
  EXPECT_EQ(node["plan"]["advice"], "unroll it");
  EXPECT_EQ(node["source"], "one\nthree\n");
  EXPECT_EQ(node["evaluations"][0]["workloads"][0]["samples_s"],
            nlohmann::json::array({1.0}));
}

// Rehearsal's node 3, "one" and "three", is a child of 1, "one" and "two".
TEST_F(ShowTest, TellsTrialsAndLinesWrittenAgain) {
  const NodeId node = store::Grow(
      database(), campaign(), NodeId{3},
      {.source = "two\n",
       .trials = {{"TILE=4", Verdict::kPassed, Speedup{2.0, {}}, 1.5, false},
                  {"TILE=8", Verdict::kCrashed, {}, 0.5, false},
                  {"TILE=2", Verdict::kPassed, Speedup{4.0, {}}, 2.0, true}}});
  ASSERT_EQ(node, NodeId{4});
  const std::string out = Say({"show", "4"}).out;
  EXPECT_THAT(out,
              HasSubstr("tuned       TILE=2 won of 3 configurations tried; "
                        "1 lies within 3 % of the fastest\n"));
  EXPECT_THAT(out, HasSubstr("lines       writes again 1 line that its lineage "
                             "deleted (most by node 3)\n"));
  const auto json = nlohmann::json::parse(Say({"show", "4", "--json"}).out);
  EXPECT_EQ(json["tuning_trials"].size(), 3u);
  EXPECT_EQ(json["tuning_trials"][1]["verdict"], "crashed");
  EXPECT_EQ(json["tuning_trials"][1]["speedup"], nullptr);
  EXPECT_EQ(json["tuning_trials"][2]["configuration"], "TILE=2");
  EXPECT_EQ(json["tuning_trials"][2]["chosen"], true);
  EXPECT_EQ(json["lines_again"], 1);
  EXPECT_EQ(json["lines_deleted_by"], 3);
}

TEST_F(ShowTest, StoredTextCannotSteerTheTerminal) {
  store::Grow(database(), campaign(), kRootNode,
              {.source = "x", .advice = "\033]0;owned\a"});
  EXPECT_THAT(Say({"show", "4"}).out, HasSubstr("plan        ?]0;owned?\n"));
}

TEST_F(ShowTest, WhatWasRefutedSaysSoAndShowsBothEvaluations) {
  Evaluation wrong = store::EvaluationOf(Verdict::kWrongOutput, std::nullopt);
  wrong.log = "y[3] is\033[2J 7";
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, wrong, 2000.0));
  const std::string out = Say({"show", "3"}).out;
  EXPECT_THAT(out, HasSubstr("quarantine  a further evaluation refuted it; it "
                             "counts as wrong_output\n"));
  EXPECT_THAT(out, HasSubstr("verdict     passed (fast tier)\n"));
  EXPECT_THAT(out, HasSubstr("\nmeasured again\n"
                             "verdict     wrong_output (fast tier)\n"));
  EXPECT_THAT(out, HasSubstr("\ny[3] is?[2J 7\n"));
  // What counts for nothing has no speedup.
  EXPECT_THAT(out, Not(HasSubstr("over all that was measured")));
  const auto node = nlohmann::json::parse(Say({"show", "3", "--json"}).out);
  EXPECT_EQ(node["quarantined"], true);
  EXPECT_EQ(node["verdict"], "wrong_output");
  EXPECT_EQ(node["speedup"], nullptr);
  ASSERT_EQ(node["evaluations"].size(), 2u);
  EXPECT_EQ(node["evaluations"][0]["verdict"], "passed");
  EXPECT_EQ(node["evaluations"][1]["log"], wrong.log);
  EXPECT_EQ(node["evaluations"][1]["runtime_s"], nullptr);
  // The one below it is not refuted with it.
  EXPECT_EQ(
      nlohmann::json::parse(Say({"show", "1", "--json"}).out)["quarantined"],
      false);
}

TEST_F(ShowTest, WhereItWasMeasuredIsToldAsFarAsItIsKnown) {
  Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, 1.0);
  evaluation.device = "GPU-1a2b";
  evaluation.environment.threads = 2;
  evaluation.environment.driver = "580.65";
  evaluation.environment.compiler = "g++ 12";
  evaluation.environment.flags = "-O3";
  evaluation.compile_s = 0.25;
  evaluation.check_s = 0.002;
  evaluation.timing_s = 3.0;
  store::Must(store::Nodes(database())
                  .AddEvaluation(campaign(), NodeId{3}, evaluation, 2000.0));
  const std::string out = Say({"show", "3"}).out;
  const std::size_t again = out.find("\nmeasured again\n");
  ASSERT_NE(again, out.npos);
  EXPECT_THAT(out.substr(again),
              HasSubstr("measured on a processor, 2 threads\n"
                        "device      GPU-1a2b\n"
                        "driver      580.65\n"
                        "compiler    g++ 12 -O3\n"
                        "took        250 ms to compile, 2 ms to check, 3.00 s "
                        "to time\n"));
  const std::string first = out.substr(0, again);
  EXPECT_THAT(first, HasSubstr("measured on a processor, 1 thread\n"));
  EXPECT_THAT(first, Not(HasSubstr("device ")));
  EXPECT_THAT(first, Not(HasSubstr("compiler ")));
}

TEST_F(ShowTest, TellsWhichModelsWereChosenAndWhatWasCombined) {
  ModelPick pick;
  pick.role = Role::kCode;
  pick.model = "replay:other";
  pick.models = "replay:model,replay:other";
  pick.rule = "bandit";
  pick.reason = "tried least";
  store::Outcome outcome;
  outcome.picks = {pick};
  outcome.mate = NodeId{3};
  ASSERT_EQ(Grow(database(), campaign(), NodeId{1}, outcome), NodeId{4});
  const std::string out = Say({"show", "4"}).out;
  EXPECT_THAT(out, HasSubstr("origin      child of 1 combined with 3, chosen "
                             "by stark (exploit: best eligible)\n"
                             "models      code replay:other, chosen by bandit "
                             "(tried least)\n"));
  const auto node = nlohmann::json::parse(Say({"show", "4", "--json"}).out);
  EXPECT_EQ(node["mate"], 3);
  EXPECT_EQ(node["decision"]["models"][0]["model"], "replay:other");
  EXPECT_EQ(node["decision"]["models"][0]["rule"], "bandit");
  // Where nobody chose there is none to tell of.
  const auto other = nlohmann::json::parse(Say({"show", "3", "--json"}).out);
  EXPECT_FALSE(other.contains("mate"));
  EXPECT_EQ(other["decision"]["models"], nlohmann::json::array());
}

TEST_F(ShowTest, ANodeIsOfTheCampaignThatIsNamed) {
  store::PlantBeside(database());
  EXPECT_THAT(Say({"show", "1", "--campaign", "a"}).out,
              HasSubstr("node        1 of a (matmul)\n"));
  const Said last = Say({"show", "1", "--source"});
  EXPECT_EQ(last.out, "beside");
  EXPECT_EQ(last.err, "campaign beside, the last of 2; --campaign chooses\n");
  EXPECT_EQ(Say({"show", "3", "--campaign", "beside"}).exit, Exit::kUsage);
}

TEST_F(ShowTest, OneLineIsOne) {
  store::Change(database(), "UPDATE node SET changed_inside = 1");
  EXPECT_THAT(Say({"show", "3"}).out,
              HasSubstr("edits       1 line in the marked spans, 1 outside\n"));
}

// The evaluation is that of the first.
TEST_F(ShowTest, WhatIsAsAnotherWasNotJudgedAgain) {
  EXPECT_THAT(Say({"show", "3"}).out, Not(HasSubstr("same as")));
  store::Change(database(), "UPDATE node SET same_as = 1 WHERE number = 3");
  EXPECT_THAT(Say({"show", "3"}).out,
              HasSubstr("\nsame as     node 1: the same tokens, so it was not "
                        "judged again\n"));
}

}  // namespace
}  // namespace coppice::cli
