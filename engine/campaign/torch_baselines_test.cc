#include "engine/campaign/torch_baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Task TorchTask(TaskFormat format) {
  Task task;
  task.format = format;
  task.definition.name = "level1_1_Twice";
  Solution& root = task.root;
  root.language = Language::kPython;
  root.entry_file = "main.py";
  root.entry_symbol = format == TaskFormat::kKernelBench ? "ModelNew" : "run";
  root.sources = {{"main.py", "twice"}};
  return task;
}

TEST(TorchBaselinesTest, AreStoredAsKernelBenchCallsThem) {
  EXPECT_EQ(StoredName(TorchBaseline::kEager), "torch");
  EXPECT_EQ(StoredName(TorchBaseline::kCompile),
            "torch_compile_inductor_default");
  EXPECT_EQ(StoredName(TorchBaseline::kMaxAutotune),
            "torch_compile_inductor_max-autotune");
}

TEST(TorchBaselinesTest, AListHasEachOnce) {
  EXPECT_THAT(store::Must(ParseTorchBaselines("compile,eager,compile")),
              ElementsAre(TorchBaseline::kEager, TorchBaseline::kCompile));
  EXPECT_THAT(store::Must(ParseTorchBaselines("all")), testing::SizeIs(3));
  EXPECT_THAT(store::Must(ParseTorchBaselines("none")), IsEmpty());
}

TEST(TorchBaselinesTest, AMistypedOneIsKnown) {
  EXPECT_EQ(
      ParseTorchBaselines("eager,max-autotun").error().what,
      "--baselines max-autotun: no such baseline; did you mean max-autotune?");
  EXPECT_EQ(ParseTorchBaseline("tensorrt").error().what,
            "tensorrt: no such baseline; there are eager, compile and "
            "max-autotune");
}

TEST(TorchBaselinesTest, EagerIsTheTasksOwnSource) {
  const Candidate eager = store::Must(
      CandidateOf(TorchBaseline::kEager, TorchTask(TaskFormat::kKernelBench)));
  EXPECT_EQ(eager.source, "twice");
  EXPECT_EQ(eager.entry_symbol, "ModelNew");
}

TEST(TorchBaselinesTest, AModelIsCompiledUnderItsOwnName) {
  const Candidate compiled = store::Must(CandidateOf(
      TorchBaseline::kMaxAutotune, TorchTask(TaskFormat::kKernelBench)));
  EXPECT_THAT(compiled.source, StartsWith("twice\n"));
  EXPECT_THAT(compiled.source, HasSubstr("class CompiledModel(ModelNew):"));
  EXPECT_THAT(compiled.source, HasSubstr("torch.compile"));
  EXPECT_THAT(compiled.source,
              EndsWith("self.compile(mode=\"max-autotune\")\n"));
  EXPECT_EQ(compiled.entry_symbol, "CompiledModel");
}

TEST(TorchBaselinesTest, AFunctionIsCompiledInItsPlace) {
  const Candidate compiled = store::Must(CandidateOf(
      TorchBaseline::kCompile, TorchTask(TaskFormat::kFlashInferBench)));
  EXPECT_THAT(compiled.source, StartsWith("twice\n"));
  EXPECT_THAT(compiled.source,
              EndsWith("run = _torch.compile(run, mode=\"default\")\n"));
  EXPECT_EQ(compiled.entry_symbol, "run");
}

TEST(TorchBaselinesTest, OtherTasksHaveNone) {
  Task task;
  task.definition.name = "gemm_square";
  const auto refused = CandidateOf(TorchBaseline::kEager, task);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what,
            "gemm_square: is no task in PyTorch, which baselines of torch are "
            "of");
}

// Says of everything that it takes half a second, and where.
class TorchJudge final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    EXPECT_EQ(task.delegation, Delegation::kAny);
    EXPECT_EQ(tier, Tier::kFull);
    asked.push_back(candidate.entry_symbol);
    if (fails) return Fail(Errc::kUsage, "out of memory");
    Evaluation evaluation = store::EvaluationOf(Verdict::kPassed, 0.5);
    evaluation.environment.hardware = hardware;
    return evaluation;
  }
  Result<std::optional<Environment>> Where() override {
    Environment here = store::EvaluationOf(Verdict::kPassed, 0.5).environment;
    here.hardware = hardware;
    return std::optional(std::move(here));
  }
  std::string hardware = "a GPU";
  bool fails = false;
  std::vector<std::string> asked;
};

class MeasureTorchBaselinesTest : public testing::Test {
 protected:
  void Measure(CampaignId campaign) {
    Task task = TorchTask(TaskFormat::kKernelBench);
    task.delegation = Delegation::kOwnKernels;
    store::Must(MeasureTorchBaselines(
        judge_, task, {TorchBaseline::kEager, TorchBaseline::kCompile},
        database_, campaign, clock_, drain_,
        [&](TorchBaseline baseline, const Result<Evaluation>& judged) {
          heard_.push_back(std::string(NameOf(baseline)) +
                           (judged ? "" : " " + judged.error().what));
        }));
  }

  SystemClock clock_;
  std::atomic<bool> drain_{false};
  TorchJudge judge_;
  std::vector<std::string> heard_;
  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  CampaignId a_ = store::Plant(database_, "a");
  CampaignId b_ = store::Plant(database_, "b");
};

TEST_F(MeasureTorchBaselinesTest, IsDoneOncePerTaskAndMachine) {
  Measure(a_);
  Measure(a_);
  Measure(b_);
  EXPECT_THAT(judge_.asked, ElementsAre("ModelNew", "CompiledModel"));
  EXPECT_THAT(heard_, ElementsAre("eager", "compile"));
  for (const CampaignId campaign : {a_, b_}) {
    EXPECT_THAT(store::Must(store::ReadBaselineNames(database_, campaign)),
                ElementsAre("torch", "torch_compile_inductor_default"));
  }
  judge_.hardware = "another GPU";
  Measure(b_);
  EXPECT_THAT(judge_.asked, testing::SizeIs(4));
}

TEST_F(MeasureTorchBaselinesTest, WhatCannotBeJudgedIsTold) {
  judge_.fails = true;
  Measure(a_);
  EXPECT_THAT(heard_,
              ElementsAre("eager out of memory", "compile out of memory"));
  EXPECT_THAT(store::Must(store::ReadBaselineNames(database_, a_)), IsEmpty());
}

TEST_F(MeasureTorchBaselinesTest, NoneBeginsOnceTheUserStopsIt) {
  drain_ = true;
  Measure(a_);
  EXPECT_THAT(judge_.asked, IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
