// Tasks of tests/trace_set, whose references are Python, through the whole
// evaluator.  Needs a Python with PyTorch, and says so where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "eval/admission.h"
#include "eval/evaluator.h"
#include "eval/python/interpreter.h"
#include "eval/python/trace_task.h"
#include "eval/trace_set.h"
#include "eval/whole_set.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSet = COPPICE_SOURCE_DIR "/tests/trace_set";

eval::PythonEvaluatorOptions Options() {
  eval::PythonEvaluatorOptions options;
  const char* python = std::getenv("COPPICE_PYTHON");
  const fs::path beside = COPPICE_SOURCE_DIR "/build/python/bin/python3";
  options.python = python != nullptr    ? python
                   : fs::exists(beside) ? beside.string()
                                        : "python3";
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.threads = 1;
  return options;
}

class ForeignTaskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = eval::python::FindInterpreter(Options().python);
    if (!found) GTEST_SKIP() << found.error().what;
    auto evaluator = eval::MakeTraceSetEvaluator(Options());
    ASSERT_TRUE(evaluator) << evaluator.error().what;
    evaluator_ = *std::move(evaluator);
  }

  Evaluation Judge(const Task& task, const std::string& source) {
    const auto evaluation = evaluator_->Evaluate(
        task, {Language::kPython, source, "run"}, Tier::kFast);
    EXPECT_TRUE(evaluation) << evaluation.error().what;
    return evaluation ? *evaluation : Evaluation{};
  }

  static Task TaskNamed(const std::string& name) {
    const auto task = eval::LoadTask(kSet, name);
    EXPECT_TRUE(task) << task.error().what;
    return *task;
  }

  static std::string Solved(const Task& task, const std::string& solution) {
    const auto set = eval::LoadTraceSet(kSet);
    const auto source = eval::FunctionSource(task.definition,
                                             set->solutions.at(solution).value);
    EXPECT_TRUE(source) << source.error().what;
    return *source;
  }

  std::unique_ptr<eval::Evaluator> evaluator_;
};

// One is passed its outputs and has two files, one returns them.
TEST_F(ForeignTaskTest, SolutionsInPythonAreJudgedOnEveryWorkload) {
  const Task task = TaskNamed("gemm_k8");
  for (const char* name : {"gemm_ann", "gemm_bob"}) {
    SCOPED_TRACE(name);
    const Evaluation evaluation = Judge(task, Solved(task, name));
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
    ASSERT_EQ(evaluation.workloads.size(), 2u);
    EXPECT_EQ(evaluation.workloads[1].workload, "w2");
    EXPECT_FALSE(evaluation.workloads[1].samples_s.empty());
    EXPECT_GT(*evaluation.runtime_s, 0.0);
    EXPECT_TRUE(eval::TracesOf(task, name, evaluation, "t"));
  }
}

TEST_F(ForeignTaskTest, SeveralOutputsMayBeReturned) {
  const Evaluation evaluation =
      Judge(TaskNamed("row_scale"),
            "import torch\n"
            "def run(x, s):\n"
            "    y = torch.einsum('mn,m->mn', x, s)\n"
            "    return [y, torch.linalg.vector_norm(y, float('inf'), 1)]\n");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

TEST_F(ForeignTaskTest, EveryFailureHasItsVerdict) {
  const Task task = TaskNamed("row_scale");
  const std::pair<const char*, Verdict> cases[] = {
      {"def run(x, s):\n    return x, s\n", Verdict::kWrongOutput},
      {"def run(x, s):\n    y = x * s[:, None]\n"
       "    return y.half(), y.abs().amax(1)\n",
       Verdict::kWrongOutput},
      {"def run(x, s):\n    y = x * s[:, None]\n"
       "    return y.T, y.abs().amax(1)\n",
       Verdict::kWrongOutput},
      {"def run(x, s):\n    return 1 / 0\n", Verdict::kCrashed},
      {"def run(x, s)\n", Verdict::kCompileFailed},
  };
  for (const auto& [source, verdict] : cases) {
    const Evaluation evaluation = Judge(task, source);
    EXPECT_EQ(evaluation.verdict, verdict) << source << evaluation.log;
  }
}

TEST_F(ForeignTaskTest, AReferenceThatDoesNotRunIsNamedInOneLine) {
  Task task = TaskNamed("row_scale");
  task.definition.reference = "def run(x, s):\n    return x.no_such(), s\n";
  const auto evaluation = evaluator_->Evaluate(
      task, {Language::kPython, "def run(x, s):\n    return x, s\n", "run"},
      Tier::kFast);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, Errc::kUsage);
  EXPECT_THAT(evaluation.error().what, testing::StartsWith("row_scale w3: "));
  EXPECT_THAT(evaluation.error().what, HasSubstr("no_such"));
}

TEST_F(ForeignTaskTest, NullCandidatesFailAndTheRootPasses) {
  const auto findings = eval::ExamineTask(*evaluator_, TaskNamed("row_scale"));
  ASSERT_TRUE(findings) << findings.error().what;
  EXPECT_EQ(findings->size(), 10u);
  for (const eval::Finding& finding : *findings) {
    EXPECT_TRUE(finding.Good()) << finding.candidate << ": " << finding.log;
  }
}

TEST_F(ForeignTaskTest, OtherLanguagesAreRefused) {
  const auto evaluation = evaluator_->Evaluate(
      TaskNamed("gemm_k8"), {Language::kCpp, "", "run"}, Tier::kFast);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().what,
            "gemm_k8: a candidate of this task is in Python");
}

}  // namespace
}  // namespace coppice
