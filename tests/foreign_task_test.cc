// Tasks of tests/trace_set, whose references are Python, through the whole
// evaluator.  Needs a Python with PyTorch, and says so where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

#include "eval/admission.h"
#include "eval/formats/trace_directory.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/trace_task.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSet = COPPICE_SOURCE_DIR "/tests/trace_set";
const fs::path kSolutions = COPPICE_SOURCE_DIR "/tests/solutions";

eval::PythonEvaluatorOptions Options() {
  eval::PythonEvaluatorOptions options;
  options.python = ChosenPython();
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.threads = 1;
  return options;
}

// All run in one process and share an evaluator, whose processes have imported
// torch and know the task when the next test begins: see CMakeLists.txt.
class ForeignTaskTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { shared_.reset(); }

  void SetUp() override {
    const auto found = eval::torch::FindInterpreter(Options().python);
    if (!found) GTEST_SKIP() << found.error().what;
    UseDevice("cpu");
    ASSERT_NE(evaluator_, nullptr);
  }

  void UseDevice(const std::string& device) {
    std::unique_ptr<eval::Evaluator>& kept = device == "cpu" ? shared_ : own_;
    if (kept == nullptr) {
      auto options = Options();
      options.device = device;
      auto made = eval::MakeTraceSetEvaluator(std::move(options));
      ASSERT_TRUE(made) << made.error().what;
      kept = *std::move(made);
    }
    evaluator_ = kept.get();
  }

  Evaluation Judge(const Task& task, const std::string& source) {
    const auto evaluation = evaluator_->Evaluate(
        task, {Language::kPython, source, "run"}, Tier::kFast);
    EXPECT_TRUE(evaluation) << evaluation.error().what;
    return evaluation ? *evaluation : Evaluation{};
  }

  // What is wrong with row_scale's task if this is its reference.
  std::string ComplaintAbout(const std::string& reference) {
    Task task = TaskNamed("row_scale");
    task.definition.reference = reference;
    const auto evaluation = evaluator_->Evaluate(
        task, {Language::kPython, "def run(x, s):\n    return x, s\n", "run"},
        Tier::kFast);
    EXPECT_FALSE(evaluation);
    if (evaluation) return "nothing";
    EXPECT_EQ(evaluation.error().code, Errc::kUsage);
    return evaluation.error().what;
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

  eval::Evaluator* evaluator_ = nullptr;

 private:
  static inline std::unique_ptr<eval::Evaluator> shared_;
  std::unique_ptr<eval::Evaluator> own_;  // For another device.
};

// The document of tests/solutions, after `change`.
std::string Document(const std::string& name,
                     const std::function<void(Solution&)>& change = {}) {
  std::ifstream file(kSolutions / (name + ".json"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!change) return text;
  auto solution = eval::ParseSolution(text, name);
  EXPECT_TRUE(solution) << solution.error().what;
  change(*solution);
  return eval::SerialiseSolution(*solution);
}

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

// As of a KernelBench candidate, whatever the way of its outputs.
TEST_F(ForeignTaskTest, AnotherNumberOfOutputsIsWrong) {
  Task task = TaskNamed("row_scale");
  const std::pair<std::string, std::string> cases[] = {
      {"x", "it returned 1 tensors, not 2\n"},
      {"x, s, 0.5", "it returned 3 tensors, not 2\n"},
      {"[]", "it returned 0 tensors, not 2\n"},
  };
  for (const char* device : {"cpu", "cpu:0"}) {
    UseDevice(device);
    for (const Protocol protocol : {Protocol::kCoppice, Protocol::kBenchmark}) {
      task.protocol = protocol;
      for (const auto& [outputs, log] : cases) {
        SCOPED_TRACE(device + (": " + outputs));
        const std::string source = "def run(x, s):\n    return " + outputs;
        const std::string document = Document(
            "python",
            [&](Solution& solution) { solution.sources[0].content = source; });
        for (const std::string& candidate : {source, document}) {
          const Evaluation evaluation = Judge(task, candidate);
          EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
          EXPECT_EQ(evaluation.log, log);
        }
      }
    }
  }
}

TEST_F(ForeignTaskTest, WhatIsNoOutputIsRefused) {
  const Task task = TaskNamed("row_scale");
  const auto log_of = [&](const std::string& outputs) {
    const Evaluation evaluation =
        Judge(task, "def run(x, s):\n    return " + outputs);
    EXPECT_EQ(evaluation.verdict, Verdict::kRejected) << outputs;
    return evaluation.log;
  };
  EXPECT_EQ(
      log_of("{'y': x}"),
      "it returned a dict; expected a torch.Tensor, or a tuple of them\n");
  EXPECT_EQ(log_of("((x, s),)"),
            "one of its outputs is a tuple; expected a torch.Tensor or a "
            "number\n");
}

TEST_F(ForeignTaskTest, AReferenceReturnsAllOutputs) {
  EXPECT_EQ(ComplaintAbout("def run(x, s):\n    return x\n"),
            "row_scale w3: its reference returns 1 tensors, not 2");
}

// Any kernel would be right there.
TEST_F(ForeignTaskTest, AReferenceReturnsSomeElement) {
  EXPECT_EQ(ComplaintAbout("def run(x, s):\n    return x[:0], s[:0]\n"),
            "row_scale w3: its outputs have no element by which a kernel could "
            "be judged");
}

TEST_F(ForeignTaskTest, WhoDefinesNoRunHasNotCompiled) {
  const Evaluation evaluation =
      Judge(TaskNamed("row_scale"), "def go(x, s):\n    return x, s\n");
  EXPECT_EQ(evaluation.verdict, Verdict::kCompileFailed);
  EXPECT_EQ(evaluation.log, "it defines no run\n");
}

TEST_F(ForeignTaskTest, ATracebackIsOfTheCandidatesOwnLines) {
  const Evaluation evaluation = Judge(
      TaskNamed("row_scale"), "\ndef run(x, s):\n    return x.no_such(), s\n");
  EXPECT_EQ(evaluation.verdict, Verdict::kCrashed);
  EXPECT_THAT(evaluation.log,
              testing::StartsWith("Traceback (most recent call last):\n"
                                  "  File \"/tmp/candidate.py\", line 3, in "
                                  "run\n"));
}

// The types are ours and others of torch's.
TEST_F(ForeignTaskTest, AnotherTypeOfElementsIsNamedInTheTrace) {
  const Task task = TaskNamed("row_scale");
  for (const std::string type : {"float16", "float64", "complex32"}) {
    const Evaluation evaluation =
        Judge(task,
              "import torch\ndef run(x, s):\n"
              "    y = x * s[:, None]\n    return y.to(torch." +
                  type + "), y.abs().amax(1)\n");
    const auto traces = eval::TracesOf(task, "mine", evaluation, "t");
    ASSERT_TRUE(traces) << traces.error().what;
    const eval::TraceEvaluation& traced = *traces->front().evaluation;
    EXPECT_EQ(traced.status, eval::TraceStatus::kIncorrectDtype) << type;
    const std::string name = type == "complex32" ? "unsupported" : type;
    EXPECT_THAT(traced.log,
                HasSubstr("output y1 has another type of elements: " + name +
                          ", not float32\n"));
  }
}

TEST_F(ForeignTaskTest, AReferenceThatDoesNotRunIsNamedInOneLine) {
  const std::string complaint =
      ComplaintAbout("def run(x, s):\n    return x.no_such(), s\n");
  EXPECT_THAT(complaint, testing::StartsWith("row_scale w3: "));
  EXPECT_THAT(complaint, HasSubstr("no_such"));
}

TEST_F(ForeignTaskTest, NullCandidatesFailAndTheRootPasses) {
  const auto findings = eval::ExamineTask(*evaluator_, TaskNamed("row_scale"));
  ASSERT_TRUE(findings) << findings.error().what;
  EXPECT_EQ(findings->size(), 10u);
  for (const eval::Finding& finding : *findings) {
    EXPECT_TRUE(finding.Good()) << finding.candidate << ": " << finding.log;
  }
}

// A file of 20 MiB that holds `numbers` twos, then the halves 0.5 and 0.25.
std::string StoredInputs(std::int64_t numbers) {
  const std::string path = testing::TempDir() + "coppice_stored_" +
                           std::to_string(getpid()) + ".safetensors";
  const std::string end = std::to_string(4 * numbers);
  const std::string header =
      R"({"n": {"dtype": "I32", "shape": [)" + std::to_string(numbers) +
      R"(], "data_offsets": [0, )" + end +
      R"(]}, "h": {"dtype": "F16", "shape": [2], "data_offsets": [)" + end +
      ", " + std::to_string(4 * numbers + 4) + "]}}";
  std::ofstream file(path, std::ios::binary);
  const std::uint64_t length = header.size();
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header;
  const std::vector<std::int32_t> twos(static_cast<std::size_t>(numbers), 2);
  file.write(reinterpret_cast<const char*>(twos.data()), 4 * numbers);
  const std::uint16_t halves[] = {0x3800, 0x3400};
  file.write(reinterpret_cast<const char*>(halves), sizeof halves);
  return path;
}

TEST_F(ForeignTaskTest, StoredTensorsMayHaveAnySizeAndType) {
  constexpr std::int64_t kNumbers = 5 << 20;
  const std::string file = StoredInputs(kNumbers);
  Task task = TaskNamed("row_scale");
  Definition& definition = task.definition;
  definition.axes = {{"N", kNumbers, {}}, {"T", 2, {}}};
  definition.inputs = {{"n", {{"N"}}, DType::kInt32, {}},
                       {"h", {{"T"}}, DType::kFloat16, {}}};
  definition.outputs = {{"y", {{"T"}}, DType::kFloat32, {}}};
  definition.reference =
      "def run(n, h):\n    return h.float() * int(n.sum())\n";
  task.workloads = {{"w",
                     {},
                     {{"n", SafetensorsInput{file, "n"}},
                      {"h", SafetensorsInput{file, "h"}}}}};
  // 2 * 5 * 2^20 = 10485760, of which a half and a quarter.
  const Evaluation evaluation =
      Judge(task,
            "import torch\n"
            "def run(n, h):\n"
            "    return torch.tensor([5242880.0, 2621440.0])\n");
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
  fs::remove(file);
}

// Steps of float8_e4m3fn are at most 1/8: 1 % moves some elements by one, half
// as much again by several.
TEST_F(ForeignTaskTest, OutputsOf8BitsMayBeAStepOff) {
  Task task = TaskNamed("row_scale");
  task.definition.outputs = {{"y", {{"M", "N"}}, DType::kFloat8E4M3FN, {}}};
  const auto scaled_by = [](const std::string& factor) {
    return "import torch\n"
           "def run(x, s):\n    return (x.float() * s[:, None] * " +
           factor + ").to(torch.float8_e4m3fn)\n";
  };
  task.definition.reference = scaled_by("1.0");
  task.root.sources.front().content = task.definition.reference;
  for (const char* device : {"cpu", "cpu:0"}) {
    SCOPED_TRACE(device);
    UseDevice(device);
    // Not of the smallest numbers, whose steps are more than is allowed.
    const Evaluation near = Judge(
        task, scaled_by("(1 + 0.01 * (x.float().abs() * s[:, None].abs() > "
                        "0.1))"));
    EXPECT_EQ(near.verdict, Verdict::kPassed) << near.log;
    EXPECT_EQ(Judge(task, scaled_by("1.5")).verdict, Verdict::kWrongOutput);
  }
  const auto findings = eval::ExamineTask(*evaluator_, task);
  ASSERT_TRUE(findings) << findings.error().what;
  for (const eval::Finding& finding : *findings) {
    EXPECT_TRUE(finding.Good()) << finding.candidate << ": " << finding.log;
    EXPECT_NE(finding.found, Verdict::kCrashed) << finding.candidate;
  }
}

// y[M, N] = 2 x[M, N] for 32 x 20 and 64 x 16, both random.
Task DoublingTask() {
  Task task;
  task.format = TaskFormat::kFlashInferBench;
  Definition& definition = task.definition;
  definition.name = "doubling";
  definition.op_type = "scale";
  definition.axes = {{"M", {}, {}}, {"N", {}, {}}};
  definition.inputs = {{"x", {{"M", "N"}}, DType::kFloat32, {}}};
  definition.outputs = {{"y", {{"M", "N"}}, DType::kFloat32, {}}};
  definition.reference = "def run(x):\n    return 2 * x\n";
  task.workloads = {{"low", {{"M", 32}, {"N", 20}}, {{"x", RandomInput{}}}},
                    {"high", {{"M", 64}, {"N", 16}}, {{"x", RandomInput{}}}}};
  task.root.name = "doubling__reference";
  task.root.definition = definition.name;
  task.root.language = Language::kPython;
  task.root.entry_file = "main.py";
  task.root.entry_symbol = "run";
  task.root.sources = {{"main.py", definition.reference}};
  task.oracle.language = Language::kPython;
  return task;
}

// All are right on both workloads.
constexpr std::pair<const char*, const char*> kSlips[] = {
    {"knows the sizes by heart",
     "def run(x):\n"
     "    y = torch.zeros_like(x)\n"
     "    if x.shape in ((32, 20), (64, 16)):\n        y.copy_(2 * x)\n"
     "    return y\n"},
    {"drops a tail",
     "def run(x):\n    y = torch.zeros_like(x)\n"
     "    m = len(x) // 16 * 16\n    y[:m] = 2 * x[:m]\n    return y\n"},
    {"takes an axis to be even",
     "def run(x):\n    y = torch.zeros_like(x)\n"
     "    for i in range(0, x.shape[1], 2):\n"
     "        y[:, i] = 2 * x[:, i]\n        y[:, i + 1] = 2 * x[:, i + 1]\n"
     "    return y\n"},
};

TEST_F(ForeignTaskTest, ASlipIsFoundOnAShapeThatWasNotShown) {
  const Task task = DoublingTask();
  const char* device = "cpu:0";  // The first goes a device's way.
  for (const auto& [name, source] : kSlips) {
    SCOPED_TRACE(name);
    auto options = Options();
    options.shapes_seed = 5;
    options.device = std::exchange(device, "cpu");
    const auto judge = eval::MakeTraceSetEvaluator(options);
    ASSERT_TRUE(judge) << judge.error().what;
    const Candidate slip{Language::kPython,
                         std::string("import torch\n") + source, "run"};
    EXPECT_EQ(Judge(task, slip.source).verdict, Verdict::kPassed);
    const auto found = (*judge)->Evaluate(task, slip, Tier::kFull);
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_THAT(found->verdict,
                testing::AnyOf(Verdict::kWrongOutput, Verdict::kCrashed));
    EXPECT_THAT(found->log, HasSubstr("on a shape that was not shown, M="));
    EXPECT_THAT(found->log, HasSubstr("(--shapes-seed 5 draws it again)"));
    ASSERT_TRUE(found->failed_shape);
    EXPECT_EQ(found->failed_shape->seed, 5U);
  }
}

// The reference has no value where M is small, and is asked first.
TEST_F(ForeignTaskTest, WhoHasNoSlipPassesWhereTheReferenceDoes) {
  const Candidate honest{Language::kPython, "def run(x):\n    return x + x\n",
                         "run"};
  Task task = DoublingTask();
  auto passed = evaluator_->Evaluate(task, honest, Tier::kFull);
  ASSERT_TRUE(passed) << passed.error().what;
  EXPECT_THAT(passed->verdict,
              testing::AnyOf(Verdict::kPassed, Verdict::kInconclusive))
      << passed->log;
  EXPECT_THAT(passed->log,
              HasSubstr("also right on shapes that were not shown: M="));
  EXPECT_FALSE(passed->failed_shape);

  task.definition.reference =
      "def run(x):\n    assert len(x) > 7, 'too few rows'\n    return 2 * x\n";
  task.root.sources.front().content = task.definition.reference;
  passed = evaluator_->Evaluate(task, honest, Tier::kFull);
  ASSERT_TRUE(passed) << passed.error().what;
  EXPECT_THAT(passed->log,
              HasSubstr("some shapes were not looked at, for the root fails "
                        "there, as on M="));
  EXPECT_THAT(passed->log, HasSubstr("too few rows"));
}

TEST_F(ForeignTaskTest, WhereShapesAreFixedTheLogSaysWhy) {
  const Task task = TaskNamed("gemm_k8");
  const auto judged = evaluator_->Evaluate(
      task, {Language::kPython, Solved(task, "gemm_ann"), "run"}, Tier::kFull);
  ASSERT_TRUE(judged) << judged.error().what;
  EXPECT_THAT(judged->log, HasSubstr("no shapes were drawn that were not "
                                     "shown: input A is stored\n"));
}

// By their rule 0.5 % of anything, by ours 1e-4 of a float32.
TEST_F(ForeignTaskTest, TheirProtocolHasTheirTolerance) {
  const std::string inexact =
      "def run(x, s):\n    y = 1.005 * (x * s[:, None])\n"
      "    return y, y.abs().amax(1)\n";
  Task task = TaskNamed("row_scale");
  EXPECT_EQ(Judge(task, inexact).verdict, Verdict::kWrongOutput);
  task.protocol = Protocol::kBenchmark;
  for (const char* device : {"cpu", "cpu:0"}) {
    SCOPED_TRACE(device);
    UseDevice(device);
    const Evaluation passed = Judge(task, inexact);
    EXPECT_EQ(passed.verdict, Verdict::kPassed) << passed.log;
    ASSERT_EQ(passed.workloads.size(), 1u);
    EXPECT_EQ(passed.workloads[0].calls_verified, 3);
    EXPECT_EQ(passed.workloads[0].samples_s.size(), 1u);
    EXPECT_NEAR(passed.workloads[0].max_relative_error, 0.005, 1e-4);
    // The ratio has gone through a logarithm.
    EXPECT_NEAR(*passed.runtime_s / passed.workloads[0].samples_s[0], 1.0,
                1e-12);
    std::string wrong = inexact;
    wrong.replace(wrong.find("1.005"), 5, "1.500");
    const Evaluation failed = Judge(task, wrong);
    EXPECT_EQ(failed.verdict, Verdict::kWrongOutput);
    EXPECT_THAT(failed.log, HasSubstr("output y1["));
  }
}

// No number of theirs may be infinite, not even the reference's own; ours says
// that the two agree.
TEST_F(ForeignTaskTest, TheirProtocolTakesNoInfinity) {
  Task task = TaskNamed("row_scale");
  task.definition.reference =
      "def run(x, s):\n    return x * float('inf'), s\n";
  EXPECT_EQ(Judge(task, task.definition.reference).verdict, Verdict::kPassed);
  task.protocol = Protocol::kBenchmark;
  EXPECT_EQ(Judge(task, task.definition.reference).verdict,
            Verdict::kWrongOutput);
}

TEST_F(ForeignTaskTest, AConstraintIsAnExpression) {
  Task task = TaskNamed("row_scale");
  task.definition.constraints = {"M > 0", "M >"};
  const auto evaluation = evaluator_->Evaluate(
      task, {Language::kPython, "def run(x, s):\n    return x, s\n", "run"},
      Tier::kFast);
  ASSERT_FALSE(evaluation);
  EXPECT_THAT(evaluation.error().what, testing::StartsWith("row_scale w3: "));
  EXPECT_THAT(evaluation.error().what,
              HasSubstr("constraint 'M >': invalid syntax"));
}

// Triton does so.
TEST_F(ForeignTaskTest, ASolutionMayLookItsSourceUp) {
  const Evaluation evaluation =
      Judge(TaskNamed("row_scale"), Document("python", [](Solution& solution) {
              solution.sources[0].content +=
                  "\n\nimport inspect\n"
                  "assert inspect.getsource(run).startswith('def run(x, s)')\n"
                  "assert __file__.endswith('/main.py')\n";
            }));
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << evaluation.log;
}

// Bound by torch and by tvm-ffi, passed their outputs and returning them, in
// one file and in several.
TEST_F(ForeignTaskTest, SolutionsInCppAreJudged) {
  const Task task = TaskNamed("row_scale");
  for (const char* name : {"cpp_torch", "cpp_torch_returning"}) {
    const Evaluation evaluation = Judge(task, Document(name));
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << name << evaluation.log;
  }
  const std::string probe =
      Options().python + " -c 'import tvm_ffi' 2>/dev/null";
  if (std::system(probe.c_str()) != 0) GTEST_SKIP() << "no tvm_ffi";
  for (const char* name : {"cpp_tvm_ffi", "cpp_tvm_ffi_returning"}) {
    const Evaluation evaluation = Judge(task, Document(name));
    EXPECT_EQ(evaluation.verdict, Verdict::kPassed) << name << evaluation.log;
  }
}

TEST_F(ForeignTaskTest, ASolutionThatDoesNotCompileIsToldItsLines) {
  const Evaluation evaluation = Judge(
      TaskNamed("row_scale"), Document("cpp_torch", [](Solution& solution) {
        std::string& text = solution.sources[0].content;
        text.replace(text.find("x.size(1)"), 9, "x.size(1");
      }));
  EXPECT_EQ(evaluation.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(evaluation.log, HasSubstr("scale.cc:7:"));
}

TEST_F(ForeignTaskTest, ASolutionThatIsWrongOrCrashesHasThatVerdict) {
  const Task task = TaskNamed("row_scale");
  const auto with = [](const std::string& from, const std::string& to) {
    return Document("cpp_torch", [&](Solution& solution) {
      std::string& text = solution.sources[1].content;
      text.replace(text.find(from), from.size(), to);
    });
  };
  EXPECT_EQ(Judge(task, with("x[j] * s", "x[j] + s")).verdict,
            Verdict::kWrongOutput);
  EXPECT_EQ(
      Judge(task, with("float largest = 0.0f", "float largest = *(float*)8"))
          .verdict,
      Verdict::kCrashed);
}

TEST_F(ForeignTaskTest, WhatASolutionDoesNotExportIsNamed) {
  const Evaluation evaluation = Judge(
      TaskNamed("row_scale"), Document("cpp_torch", [](Solution& solution) {
        solution.entry_symbol = "go";
      }));
  EXPECT_EQ(evaluation.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(evaluation.log, HasSubstr("export no go"));
}

TEST_F(ForeignTaskTest, CudaNeedsItsDevice) {
  for (const char* name : {"cuda_torch", "cuda_tvm_ffi"}) {
    const Evaluation evaluation = Judge(TaskNamed("row_scale"), Document(name));
    EXPECT_EQ(evaluation.verdict, Verdict::kCompileFailed);
    EXPECT_THAT(evaluation.log, HasSubstr("on a CUDA device only"));
  }
}

TEST_F(ForeignTaskTest, WhatIsNoSolutionOfTheTaskIsRefused) {
  const Task task = TaskNamed("gemm_k8");
  const auto complaint = [&](Language language, const std::string& source) {
    const auto evaluation =
        evaluator_->Evaluate(task, {language, source, "run"}, Tier::kFast);
    return evaluation ? "" : evaluation.error().what;
  };
  EXPECT_EQ(complaint(Language::kCpp, ""),
            "gemm_k8: a candidate of this task is in Python, or the document "
            "of a solution");
  EXPECT_EQ(complaint(Language::kCpp, Document("cpp_torch")),
            "row_scale_cpp_torch: is a solution of row_scale, not of gemm_k8");
  EXPECT_THAT(complaint(Language::kTilelang, Document("python",
                                                      [](Solution& solution) {
                                                        solution.definition =
                                                            "gemm_k8";
                                                        solution.language =
                                                            Language::kTilelang;
                                                      })),
              HasSubstr("solutions in Python, Triton, C++ and CUDA C++ can"));
}

}  // namespace
}  // namespace coppice
