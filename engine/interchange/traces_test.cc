#include "engine/interchange/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "engine/interchange/trace_scores.h"
#include "engine/process/clock.h"
#include "engine/run/trace_import.h"
#include "eval/formats/trace_set.h"
#include "store/records/node.h"
#include "store/scratch.h"
#include "store/write/attempts.h"
#include "store/write/baselines.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

using store::Must;
using testing::ElementsAre;

Solution SolutionBy(const std::string& author) {
  Solution solution;
  solution.name = "scale_" + author;
  solution.definition = "scale";
  solution.author = author;
  solution.target_hardware = {"cpu"};
  solution.entry_file = "k.cc";
  solution.entry_symbol = "run";
  solution.sources = {{"k.cc", author + " // its own"}};
  return solution;
}

Task ScaleTask() {
  Task task;
  task.definition.name = "scale";
  task.definition.op_type = "blas";
  task.definition.axes = {{"N", {}, {}}};
  task.definition.inputs = {{"x", {{"N"}}, DType::kFloat32, {}}};
  task.definition.outputs = {{"y", {{"N"}}, DType::kFloat32, {}}};
  task.definition.reference = "def run(x):\n    return 2 * x\n";
  task.workloads = {{"w1", {{"N", 4}}, {{"x", RandomInput{}}}},
                    {"w2", {{"N", 8}}, {{"x", RandomInput{}}}}};
  task.root = SolutionBy("baseline");
  task.oracle = SolutionBy("oracle");
  task.expert = SolutionBy("expert");
  return task;
}

// Passes on both workloads, with a sample each.
Evaluation Judged(Verdict verdict, double runtime_s) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.environment.hardware = "AMD EPYC";
  evaluation.compile_s = 0.25;
  evaluation.log = "said so\n";
  for (const char* workload : {"w1", "w2"}) {
    WorkloadResult result;
    result.workload = workload;
    result.verdict = verdict;
    result.samples_s = {runtime_s};
    result.root_samples_s = {4.0};
    evaluation.workloads.push_back(result);
  }
  if (verdict == Verdict::kPassed) Summarise(evaluation);
  return evaluation;
}

class TracesTest : public testing::Test {
 protected:
  TracesTest() : database_(store::NewFile(directory_.File("x.db"))) {
    store::CampaignSpec spec = store::SpecNamed("race");
    spec.task_name = "scale";
    spec.task_json = eval::SerialiseTask(ScaleTask());
    campaign_ = Must(store::Campaigns(database_).Create(spec));
    Commit("baseline // its own", Judged(Verdict::kPassed, 4.0));
    Commit("twice // its own", Judged(Verdict::kPassed, 2.0));
    Commit("broken // its own", Judged(Verdict::kRejected, 1.0));
  }

  // As a child of the root, at 1000.5 s and so on.
  void Commit(const std::string& source, const Evaluation& evaluation,
              std::optional<Evaluation> screening = {}) {
    NodeRecord node;
    node.id = NodeId{count_};
    node.uuid = store::NextUuid();
    node.candidate = Candidate{Language::kCpp, source, "run"};
    node.evaluation = evaluation;
    node.screening = std::move(screening);
    std::optional<AttemptId> attempt;
    if (count_ > 0) {
      node.parent = NodeId{0};
      store::Attempts attempts(database_);
      attempt = Must(attempts.Reserve(
          campaign_, store::ReservationOf(count_ - 1, NodeId{0})));
      Must(attempts.GiveCandidate(*attempt, *node.candidate));
    }
    Must(store::Nodes(database_).Commit(
        campaign_, attempt, node, start_s_ + static_cast<double>(count_)));
    ++count_;
  }

  eval::TraceSet Exported(store::Database& database) {
    return Must(TracesOf(database, Must(store::Campaigns(database).List())))
        .set;
  }

  // The files by path within the set.
  std::map<std::string, std::string> Files(const eval::TraceSet& set,
                                           const std::string& folder) {
    const std::filesystem::path root = directory_.File(folder);
    Must(eval::WriteTraceSet(set, root));
    std::map<std::string, std::string> files;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      files[std::filesystem::relative(entry.path(), root)] =
          std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }

  // Imports into a file of its own.
  store::Database Imported(const eval::TraceSet& set) {
    Must(eval::WriteTraceSet(set, directory_.File("set")));
    store::Database other = store::NewFile(directory_.File("y.db"));
    import_ = Must(ImportTraces(directory_.File("set"), set, other, clock_));
    return other;
  }

  store::ScratchDirectory directory_;
  store::Database database_;
  CampaignId campaign_{};
  std::int64_t count_ = 0;
  double start_s_ = 1000.5;
  TraceImport import_;
  SystemClock clock_;
};

TEST_F(TracesTest, ACampaignIsATraceSet) {
  const eval::TraceSet set = Exported(database_);
  EXPECT_EQ(set.definitions.count("scale"), 1u);
  std::vector<std::string> names;
  for (const auto& [name, solution] : set.solutions) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("race.node1", "race.node2", "scale_baseline",
                                 "scale_expert", "scale_oracle"));
  EXPECT_EQ(set.workloads.size(), 2u);
  ASSERT_EQ(set.traces.size(), 6u);
  EXPECT_EQ(set.traces[0].solution, "scale_baseline");
  EXPECT_EQ(set.traces[2].solution, "race.node1");
  EXPECT_EQ(set.traces[2].evaluation->timestamp,
            "1970-01-01T00:16:41.500000+00:00");
  EXPECT_EQ(set.traces[2].evaluation->performance->speedup_factor, 2.0);
  EXPECT_EQ(set.traces[4].evaluation->status, eval::TraceStatus::kRuntimeError);
}

TEST_F(TracesTest, WhatWasExportedComesBackWhole) {
  const eval::TraceSet first = Exported(database_);
  store::Database other = Imported(first);
  EXPECT_THAT(import_.campaigns, ElementsAre("scale.traces"));
  EXPECT_EQ(import_.nodes, 3);
  EXPECT_TRUE(import_.left_out.empty());
  const char* kNodes =
      "SELECT node, parent, verdict, runtime_s, speedup, committed_at_s"
      " FROM nodes";
  EXPECT_EQ(store::Rows(other, kNodes), store::Rows(database_, kNodes));
  const CampaignId campaign =
      Must(store::Campaigns(other).Find("scale.traces")).id;
  for (std::int64_t n = 0; n < count_; ++n) {
    EXPECT_EQ(
        Must(store::Nodes(other).Load(campaign, NodeId{n})).candidate->source,
        Must(store::Nodes(database_).Load(campaign_, NodeId{n}))
            .candidate->source);
  }
  EXPECT_EQ(Files(Exported(other), "again"), Files(first, "first"));
  EXPECT_THAT(store::Rows(other, "SELECT reason FROM attempts"),
              ElementsAre("race.node1 by coppice", "race.node2 by coppice"));
}

const char* const kEvaluations =
    "SELECT node, baseline, ordinal, further, verdict, runtime_s,"
    " evaluated_at_s FROM evaluations ORDER BY 1, 2, 3";

// Screened, committed, confirmed; then screened, committed, refuted, and passed
// once more; and a baseline that was judged twice.
TEST_F(TracesTest, EveryEvaluationComesBackAsWhatItWas) {
  store::Nodes nodes(database_);
  Commit("proven // its own", Judged(Verdict::kPassed, 1.0),
         Judged(Verdict::kPassed, 0.5));
  Must(nodes.AddEvaluation(campaign_, NodeId{3}, Judged(Verdict::kPassed, 0.75),
                           2000.0));
  Commit("cheats // its own", Judged(Verdict::kPassed, 0.25),
         Judged(Verdict::kPassed, 0.125));
  Must(nodes.AddEvaluation(campaign_, NodeId{4},
                           Judged(Verdict::kWrongOutput, 1.0), 2001.0));
  Must(nodes.AddEvaluation(campaign_, NodeId{4}, Judged(Verdict::kPassed, 0.25),
                           2002.0));
  for (const double at_s : {3000.0, 3001.0}) {
    Must(store::AddBaselineEvaluation(database_, campaign_,
                                      store::kExpertBaseline,
                                      Judged(Verdict::kPassed, 2.0), at_s));
  }
  const eval::TraceSet first = Exported(database_);
  EXPECT_EQ(first.traces.size(), 24u);  // 12 evaluations of 2 workloads.
  store::Database other = Imported(first);
  EXPECT_TRUE(import_.left_out.empty());
  EXPECT_EQ(import_.evaluations, 12);
  EXPECT_EQ(store::Rows(other, kEvaluations),
            store::Rows(database_, kEvaluations));
  const char* kVerdicts = "SELECT node, verdict, speedup FROM nodes";
  EXPECT_EQ(store::Rows(other, kVerdicts), store::Rows(database_, kVerdicts));
  EXPECT_EQ(Files(Exported(other), "again"), Files(first, "first"));

  // Whoever takes the best of what passed finds no pass of the refuted one.
  for (const eval::Trace& trace : first.traces) {
    if (trace.solution == "race.node4") {
      EXPECT_NE(trace.evaluation->status, eval::TraceStatus::kPassed);
    }
  }
  // 4 s over the 1 s that decided, not over 0.5 or 0.75.
  std::map<std::string, double> scores;
  for (const Placing& placing : Rank(first)) {
    scores[placing.solution] = placing.Score();
  }
  EXPECT_EQ(scores.at("race.node3"), 4.0);
  EXPECT_EQ(scores.at("race.node4"), 0.0);
}

// It was inconclusive; nothing refuted it.
TEST_F(TracesTest, APassThatSettlesANodeIsAPass) {
  Commit("open // its own", Judged(Verdict::kInconclusive, 1.0));
  Must(store::Nodes(database_).AddEvaluation(
      campaign_, NodeId{3}, Judged(Verdict::kPassed, 1.0), 2000.0));
  int passed = 0;
  for (const eval::Trace& trace : Exported(database_).traces) {
    if (trace.solution != "race.node3") continue;
    passed += trace.evaluation->status == eval::TraceStatus::kPassed ? 1 : 0;
  }
  EXPECT_EQ(passed, 2);  // On two workloads.
}

// The root of both is one solution, which keeps what each campaign saw of it.
TEST_F(TracesTest, ARootOfSeveralCampaignsLosesNoEvaluation) {
  store::CampaignSpec spec = store::SpecNamed("rerun");
  spec.task_name = "scale";
  spec.task_json = eval::SerialiseTask(ScaleTask());
  campaign_ = Must(store::Campaigns(database_).Create(spec));
  count_ = 0;
  start_s_ = 1001.25;
  Commit("baseline // its own", Judged(Verdict::kPassed, 3.0));
  const eval::TraceSet set = Exported(database_);
  EXPECT_EQ(set.traces.size(), 8u);
  store::Database other = Imported(set);
  EXPECT_EQ(import_.evaluations, 4);
  EXPECT_EQ(Exported(other).traces.size(), 8u);
}

TEST_F(TracesTest, WhatTheFormatHasNoPlaceForIsCounted) {
  Task problem = ScaleTask();
  problem.format = TaskFormat::kKernelBench;
  store::CampaignSpec spec = store::SpecNamed("bench");
  spec.task_json = eval::SerialiseTask(problem);
  Must(store::Campaigns(database_).Create(spec));
  problem.format = TaskFormat::kGpuMode;
  spec = store::SpecNamed("mode");
  spec.task_json = eval::SerialiseTask(problem);
  Must(store::Campaigns(database_).Create(spec));
  const TraceExport exported =
      Must(TracesOf(database_, Must(store::Campaigns(database_).List())));
  EXPECT_EQ(exported.kernelbench, 1);
  EXPECT_EQ(exported.gpu_mode, 1);
  EXPECT_EQ(exported.LeftOut(),
            "left out: 1 campaign on KernelBench problems, which are no "
            "Definitions (coppice export kernelbench has them), 1 campaign on "
            "problems of GPU MODE, which are no Definitions");
  EXPECT_EQ(TraceExport{}.LeftOut(), "");
}

// What the root's solution cannot hold is kept as the document that it was.
TEST_F(TracesTest, ASolutionInSeveralFilesComesBackWhole) {
  eval::TraceSet set = Exported(database_);
  Solution two = set.solutions.at("race.node1").value;
  two.author = "ann by the sea";
  two.dependencies = {"cublas"};
  two.sources.push_back({"helper.h", "//"});
  set.solutions.at("race.node1") = eval::FiledOf(two);
  store::Database other = Imported(set);
  EXPECT_EQ(import_.nodes, 3);
  EXPECT_EQ(Files(Exported(other), "again"), Files(set, "first"));
}

TEST_F(TracesTest, WhatCannotBeANodeIsLeftOutWithTheReason) {
  eval::TraceSet set = Exported(database_);
  set.solutions.erase("race.node2");
  Imported(set);
  EXPECT_EQ(import_.nodes, 2);
  EXPECT_THAT(
      import_.left_out,
      ElementsAre(testing::Pair("race.node2", "the set has no such solution")));
}

TEST_F(TracesTest, WithoutTracesOfItsRootADefinitionIsLeftOut) {
  eval::TraceSet set = Exported(database_);
  std::erase_if(set.traces, [](const eval::Trace& trace) {
    return trace.solution == "scale_baseline";
  });
  Imported(set);
  EXPECT_TRUE(import_.campaigns.empty());
  EXPECT_THAT(import_.left_out,
              ElementsAre(testing::Pair(
                  "scale",
                  "no traces of scale_baseline, which would be the root; "
                  "coppice report reads it")));
}

// tests/trace_set: of gemm_k8, ann took 1 and 3 ms, the baseline 4 and 6,
// beside a reference of 9 on both; of row_scale nothing passed.
TEST_F(TracesTest, APythonReferenceHasTheTimesMeasuredBesideIt) {
  const std::filesystem::path root = COPPICE_SOURCE_DIR "/tests/trace_set";
  store::Database other = store::NewFile(directory_.File("y.db"));
  const TraceImport import =
      Must(ImportTraces(root, Must(eval::LoadTraceSet(root)), other, clock_));
  EXPECT_THAT(import.campaigns, ElementsAre("gemm_k8.traces"));
  EXPECT_THAT(import.left_out,
              ElementsAre(testing::Pair(
                  "row_scale",
                  "no trace tells how long its reference takes; coppice report "
                  "reads it")));
  EXPECT_THAT(
      store::Rows(other, "SELECT runtime_s, verdict FROM nodes"),
      ElementsAre(testing::StartsWith("0.009"), testing::EndsWith("passed"),
                  testing::EndsWith("wrong_output")));
  // 9 ms over sqrt(4 * 6); ann is sqrt(9 * 3) times the root's speed.
  EXPECT_THAT(store::Rows(other,
                          "SELECT round(speedup, 3),"
                          " round(best_over_baseline, 3) FROM baselines"),
              ElementsAre("1.837|2.828"));
}

// Each run of theirs writes each workload at a time of its own.
TEST_F(TracesTest, TheLastTracesOfOthersAreOneEvaluation) {
  eval::TraceSet set = Exported(database_);
  std::string second = "2026-01-02T03:04:05.100000";
  for (eval::Trace& trace : set.traces) {
    second[20] = static_cast<char>(second[20] + 1);
    trace.evaluation->timestamp = second;
    if (trace.evaluation->correctness) {
      trace.evaluation->correctness->extra.clear();
    }
    trace.evaluation->log.clear();
  }
  store::Database other = Imported(set);
  EXPECT_EQ(import_.nodes, 3);
  EXPECT_EQ(import_.evaluations, 3);
  EXPECT_EQ(store::Rows(other, "SELECT node FROM workload_results").size(), 6u);
}

// Stored tensors lie below a set, wherever the campaign found them.
TEST_F(TracesTest, StoredTensorsTravelWithTheSet) {
  const auto file = directory_.File("from") / "blob/workloads/w.safetensors";
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "bytes";
  Task task = ScaleTask();
  task.definition.name = "stored";
  task.root.definition = task.oracle.definition = "stored";
  task.root.name = "stored_root";
  task.oracle.name = "stored_oracle";
  task.workloads = {
      {"w", {{"N", 4}}, {{"x", SafetensorsInput{file.string(), "x"}}}}};
  store::CampaignSpec spec = store::SpecNamed("other");
  spec.task_json = eval::SerialiseTask(task);
  Must(store::Campaigns(database_).Create(spec));
  const auto files = Files(Exported(database_), "set");
  EXPECT_EQ(files.at("blob/workloads/w.safetensors"), "bytes");
  EXPECT_THAT(files.at("workloads/blas/stored.jsonl"),
              testing::HasSubstr("\"path\":\"blob/workloads/w.safetensors\""));
}

TEST_F(TracesTest, TwoTasksOfOneNameAreNoSet) {
  Task another = ScaleTask();
  another.definition.reference = "def run(x):\n    return 3 * x\n";
  store::CampaignSpec spec = store::SpecNamed("other");
  spec.task_json = eval::SerialiseTask(another);
  Must(store::Campaigns(database_).Create(spec));
  const auto set =
      TracesOf(database_, Must(store::Campaigns(database_).List()));
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().what,
            "definition \"scale\": two different ones have this name");
}

TEST(TimestampTest, AreIsoAndBack) {
  EXPECT_EQ(TimestampText(0.0), "1970-01-01T00:00:00.000000+00:00");
  EXPECT_EQ(TimestampText(1767323045.123456),
            "2026-01-02T03:04:05.123456+00:00");
  EXPECT_DOUBLE_EQ(UnixSecondsOf("2026-01-02T03:04:05.123456+00:00"),
                   1767323045.123456);
  EXPECT_EQ(UnixSecondsOf("yesterday"), 0.0);
  EXPECT_EQ(UnixSecondsOf("2026-02-30T00:00:00"), 0.0);
}

}  // namespace
}  // namespace coppice::engine
