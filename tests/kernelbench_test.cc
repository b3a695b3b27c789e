// KernelBench problems, good ones and malformed ones, through the whole
// evaluator.  Needs a Python with PyTorch, and says so where there is none.
#include "eval/torch/kernelbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "eval/admission.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/problem.h"
#include "eval/torch/verdicts.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

eval::PythonEvaluatorOptions Options() {
  eval::PythonEvaluatorOptions options;
  options.python = ChosenPython();
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.threads = 1;
  return options;
}

eval::torch::WorkerOptions Worker() {
  auto interpreter = eval::torch::FindInterpreter(Options().python);
  return {.interpreter = interpreter.value_or(eval::torch::Interpreter{}),
          .scripts = Options().scripts,
          .cache = {}};
}

class KernelBenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = eval::torch::FindInterpreter(Options().python);
    if (!found) GTEST_SKIP() << found.error().what;
    folder_ = fs::path(testing::TempDir()) /
              ("kernelbench" + std::to_string(getpid())) / "level1";
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_.parent_path());
  }

  Result<Task> Load(const std::string& text,
                    eval::PythonEvaluatorOptions options = Options()) {
    const fs::path file = folder_ / "7_Problem.py";
    std::ofstream(file) << text;
    return eval::LoadKernelBenchTask(options, file, Protocol::kCoppice,
                                     Delegation::kAny);
  }

  // What is wrong with it, without the file's name.
  std::string Complaint(const std::string& text,
                        eval::PythonEvaluatorOptions options = Options(),
                        Errc code = Errc::kUsage) {
    const auto task = Load(text, options);
    if (task) return "nothing";
    EXPECT_EQ(task.error().code, code);
    const std::string prefix = (folder_ / "7_Problem.py").string() + ": ";
    EXPECT_THAT(task.error().what, testing::StartsWith(prefix));
    EXPECT_THAT(task.error().what, testing::Not(HasSubstr("\n")));
    return task.error().what.substr(prefix.size());
  }

  fs::path folder_;
};

constexpr char kHead[] = "import torch\nimport torch.nn as nn\n";
constexpr char kModel[] =
    "class Model(nn.Module):\n"
    "    \"\"\"Twice its input.\"\"\"\n"
    "    def forward(self, x):\n"
    "        return 2 * x  # not Model's\n";
constexpr char kInputs[] = "def get_inputs():\n    return [torch.rand(4, 6)]\n";
constexpr char kInit[] = "def get_init_inputs():\n    return []\n";

TEST_F(KernelBenchTest, IsReadAsItIs) {
  const std::string text = std::string(kHead) + kModel + kInputs + kInit;
  const auto task = Load(text);
  ASSERT_TRUE(task) << task.error().what;
  const Definition& definition = task->definition;
  EXPECT_EQ(definition.name, "level1_7_Problem");
  EXPECT_EQ(definition.reference, text);
  EXPECT_EQ(definition.description, "Twice its input.");
  EXPECT_EQ(TagValue(definition, "level"), "1");
  EXPECT_EQ(TagValue(definition, "problem"), "7");
  ASSERT_EQ(definition.inputs.size(), 1u);
  EXPECT_EQ(definition.inputs[0].name, "x");
  EXPECT_THAT(*definition.inputs[0].shape, testing::ElementsAre("n4", "n6"));
  EXPECT_EQ(definition.outputs[0].dtype, DType::kFloat32);
  EXPECT_THAT(eval::SourceOf(task->root),
              HasSubstr("class ModelNew(nn.Module)"));
  EXPECT_THAT(eval::SourceOf(task->root), HasSubstr("# not Model's"));

  const auto again = eval::ParseTask(eval::SerialiseTask(*task));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(eval::SameTask(*task, *again));
  EXPECT_EQ(again->format, TaskFormat::kKernelBench);
}

TEST_F(KernelBenchTest, ItsPrecisionIsStoredWithIt) {
  const fs::path file = folder_ / "7_Problem.py";
  std::ofstream(file) << kHead << kModel << kInputs << kInit;
  const auto task =
      eval::LoadKernelBenchTask(Options(), file, Protocol::kBenchmark,
                                Delegation::kAny, DType::kBFloat16);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.inputs[0].dtype, DType::kBFloat16);
  EXPECT_EQ(task->definition.outputs[0].dtype, DType::kBFloat16);
  EXPECT_EQ(TagValue(task->definition, "precision"), "bfloat16");
  auto again = eval::ParseTask(eval::SerialiseTask(*task));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(eval::SameTask(*task, *again));
  EXPECT_EQ(eval::PrecisionOf(*again), DType::kBFloat16);
  // Somebody else's tag is nothing of the kind.
  again->format = TaskFormat::kFlashInferBench;
  EXPECT_EQ(eval::PrecisionOf(*again), DType::kFloat32);
}

TEST_F(KernelBenchTest, AMalformedFileIsOneLine) {
  const std::string head = kHead;
  EXPECT_EQ(Complaint(head + kModel + kInit),
            "defines no get_inputs; a KernelBench problem has a class Model, "
            "get_inputs() and get_init_inputs()");
  EXPECT_EQ(Complaint(head + "def f(:\n"), "line 3: invalid syntax");
  EXPECT_EQ(Complaint("import nothing_of_that_name\n"),
            "line 1: ModuleNotFoundError: No module named "
            "'nothing_of_that_name'; install it for the Python that --python "
            "names");
  EXPECT_THAT(Complaint(""), testing::StartsWith("defines no Model; "));
  EXPECT_THAT(Complaint(std::string("\x7F"
                                    "ELF\0\1",
                                    6)),
              HasSubstr("null bytes"));
  EXPECT_EQ(
      Complaint("class Model:\n    pass\n" + std::string(kInputs) + kInit),
      "Model is no class derived from torch.nn.Module");
  EXPECT_EQ(Complaint(head + kModel + kInit +
                      "def get_inputs():\n    return torch.rand(3)\n"),
            "get_inputs() returns a Tensor; expected a list of arguments");
  EXPECT_THAT(Complaint(head + kModel + kInit +
                        "def get_inputs():\n    return [torch.rand(3), {}]\n"),
              HasSubstr("argument 2 of get_inputs() is a dict"));
  EXPECT_EQ(Complaint(head + kModel + kInputs +
                      "def get_init_inputs():\n    return [object()]\n"),
            "get_init_inputs() returns something that is no plain number, "
            "text, list, tuple or dict");
  EXPECT_THAT(Complaint(head + kModel + kInputs +
                        "def get_init_inputs():\n    return [5]\n"),
              HasSubstr("TypeError: Model.__init__() takes 1 positional"));
}

TEST_F(KernelBenchTest, InputsAreDenseTensorsOfOneShapeAndAKnownType) {
  const auto complaint = [this](const std::string& inputs) {
    return Complaint(std::string(kHead) + kModel + kInit + "made = [0]\n" +
                     "def get_inputs():\n    made[0] += 1\n    return [" +
                     inputs + "]\n");
  };
  EXPECT_EQ(complaint("torch.ones(3, dtype=torch.complex64)"),
            "argument 1 of get_inputs() is a tensor of torch.complex64, which "
            "is not supported");
  EXPECT_EQ(complaint("torch.eye(3).to_sparse()"),
            "argument 1 of get_inputs() is a sparse tensor; expected a dense "
            "one");
  EXPECT_EQ(complaint("torch.ones(made[0])"),
            "get_inputs() returns other shapes or types from call to call");
}

// There are 4 x 6 elements: all in four bytes, in eight, and 1 + 2 + 3 + 4 of
// them; the others are known before, or are to be found elsewhere: 96 + 192
// + 40.
TEST_F(KernelBenchTest, ACallWritesWhatDependsOnItsInputs) {
  const auto problem = eval::torch::Problem::Open(
      Worker(), {.name = "outputs",
                 .source = std::string(kHead) + kInputs + kInit +
                           "class Model(nn.Module):\n"
                           "    def forward(self, x):\n"
                           "        y = x + 1\n"
                           "        return (y, (1e9 * x).long(), x.tril(), x,\n"
                           "                1 * x[1:3], y.clone(), x.t().t(),\n"
                           "                torch.arange(24), 0 * x)\n"});
  ASSERT_TRUE(problem) << problem.error().what;
  const auto writing = (*problem)->MeasureWriting(7);
  ASSERT_TRUE(writing) << writing.error().what;
  EXPECT_EQ(writing->bytes, 96 + 192 + 40);
  EXPECT_EQ(writing->bytes_per_s, 0.0);
}

// Memory of one byte a second would condemn every time, and is measured again.
TEST_F(KernelBenchTest, WhatPassesHasAFloor) {
  const auto task = Load(std::string(kHead) + kModel + kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  eval::PythonEvaluatorOptions options = Options();
  options.cache_directory = folder_ / "cache";
  const auto floor_s = [&]() -> double {
    const auto evaluator = eval::MakePythonEvaluator(options);
    const auto evaluation =
        (*evaluator)
            ->Evaluate(
                *task,
                {Language::kPython, eval::SourceOf(task->root), "ModelNew"},
                Tier::kFast);
    if (!evaluation) return -1.0;
    EXPECT_EQ(evaluation->verdict, Verdict::kPassed) << evaluation->log;
    return evaluation->workloads.front().floor_s.value_or(-2.0);
  };
  const double first_s = floor_s();
  EXPECT_GT(first_s, 0.0);
  const fs::path kept = options.cache_directory / ".roof-1";
  std::string identity;
  std::ifstream file(kept);
  std::getline(file, identity);
  std::ofstream(kept) << identity << "\n1\n16384 1\n262144 1\n4194304 1\n"
                      << "67108864 1\n";
  const double again_s = floor_s();
  EXPECT_GT(again_s, 0.0);
  EXPECT_LT(again_s, 10.0 * first_s);
}

// What is kept says that zeros fail, until they are judged anew.
TEST_F(KernelBenchTest, NullCandidatesAreJudgedOnce) {
  const auto task = Load(std::string(kHead) +
                         "class Model(nn.Module):\n"
                         "    def forward(self, x):\n"
                         "        return 0 * x\n" +
                         kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  eval::PythonEvaluatorOptions options = Options();
  options.cache_directory = folder_ / "cache";
  const auto evaluator = eval::MakePythonEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto why_unfit = [&](eval::Anew anew) {
    const auto findings = (*evaluator)->JudgeNulls(*task, anew);
    EXPECT_TRUE(findings) << findings.error().what;
    return eval::WhyUnfit(findings.value_or(std::vector<eval::Finding>{}));
  };
  EXPECT_THAT(why_unfit(eval::Anew::kNo), HasSubstr("these pass: zeros"));
  int kept = 0;
  for (const auto& entry : fs::directory_iterator(options.cache_directory)) {
    const fs::path file = entry.path() / "findings.json";
    if (!fs::exists(file)) continue;
    ++kept;
    std::ofstream(file) << R"([{"name": "zeros", "verdict": "wrong_output"}])";
  }
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(why_unfit(eval::Anew::kNo), "");
  EXPECT_THAT(why_unfit(eval::Anew::kYes), HasSubstr("these pass: zeros"));
  EXPECT_THAT(why_unfit(eval::Anew::kNo), HasSubstr("these pass: zeros"));
}

TEST_F(KernelBenchTest, WhatEditorsAddIsNoMistake) {
  const std::string text = std::string(kHead) + kModel + kInputs + kInit;
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const auto task = Load("\xEF\xBB\xBF" + windows);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.reference, windows);
}

TEST_F(KernelBenchTest, AProblemThatDoesNotRunIsOneLine) {
  const std::string head = kHead;
  EXPECT_THAT(
      Complaint(head + kModel + kInit +
                "def get_inputs():\n    return [torch.rand(3)] * 2\n"),
      HasSubstr("TypeError: Model.forward() takes 2 positional arguments but 3 "
                "were given"));
  EXPECT_THAT(
      Complaint(head +
                "class Model(nn.Module):\n    def forward(self, x):\n"
                "        return x @ x\n" +
                kInputs + kInit),
      HasSubstr("line 5: RuntimeError: mat1 and mat2 shapes cannot be"));
  EXPECT_THAT(
      Complaint(head + kModel + kInit +
                    "def get_inputs():\n"
                    "    return [torch.ones(int(torch.ones(1)) << 44)]\n",
                Options(), Errc::kUnfit),
      testing::EndsWith("out of memory; a copy of its file with smaller sizes "
                        "needs less"));
  EXPECT_EQ(Complaint(head +
                      "class Model(nn.Module):\n    def forward(self, x):\n"
                      "        raise ValueError('no\\nway')\n" +
                      kInputs + kInit),
            "line 5: ValueError: no way");
  EXPECT_EQ(Complaint(head +
                      "class Model(nn.Module):\n    def forward(self, x):\n"
                      "        return x.to(torch.complex64)\n" +
                      kInputs + kInit),
            "what Model.forward returned is a tensor of torch.complex64, which "
            "is not supported");
  EXPECT_EQ(Complaint(head +
                      "class Model(nn.Module):\n    def forward(self, x):\n"
                      "        return 'text'\n" +
                      kInputs + kInit),
            "Model.forward: it returned a str; expected a "
            "torch.Tensor, or a tuple of them");
}

TEST_F(KernelBenchTest, WhatNeverEndsIsStopped) {
  eval::PythonEvaluatorOptions options = Options();
  options.load_timeout_s = 1.0;
  EXPECT_EQ(Complaint("while True: pass\n", options, Errc::kUnfit),
            "loading it did not return within 1 s; --compile-timeout-s allows "
            "more, and a copy of its file with smaller sizes needs less");
  EXPECT_EQ(Complaint(std::string(kHead) +
                          "class Model(nn.Module):\n"
                          "    def forward(self, x):\n"
                          "        while True: pass\n" +
                          kInputs + kInit,
                      options, Errc::kUnfit),
            "get_inputs() and Model.forward: did not return within 1 s; "
            "--compile-timeout-s allows more, and a copy of its file with "
            "smaller sizes needs less");
  EXPECT_EQ(Complaint("import sys\nsys.exit(3)\n"), "line 2: SystemExit: 3");
  EXPECT_EQ(Complaint("import os\nos._exit(0)\n"),
            "it ended the process with exit status 0 before its call returned");
}

// They are 2^44 numbers, of four bytes.
TEST_F(KernelBenchTest, InputsThatNoMemoryHoldsAreNotDrawn) {
  EXPECT_THAT(Complaint(std::string(kHead) + kModel + kInit +
                            "def get_inputs():\n"
                            "    return [torch.rand(1 << 22, 1 << 22)]\n",
                        Options(), Errc::kUnfit),
              testing::StartsWith("its inputs are 70368.7 GB, and judging it "
                                  "on a CPU takes 4 times as much memory"));
}

// Instead of a second a problem that takes 0.6 s for a call has fifty times
// what two took, and instead of half of one a call has twenty times its own
// time.
TEST_F(KernelBenchTest, LimitsGrowWithTheProblem) {
  eval::torch::WorkerOptions worker = Worker();
  worker.limits = {
      .load_s = 1.0, .call_s = 0.5, .load_grows = true, .call_grows = true};
  const std::string source = std::string(kHead) + "import time\n" +
                             "class Model(nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        time.sleep(0.6)\n"
                             "        return torch.cos(x)\n" +
                             kInputs + kInit;
  const eval::torch::Rule rule;
  auto problem =
      eval::torch::Problem::Open(worker, {.name = "slow", .source = source});
  ASSERT_TRUE(problem) << problem.error().what;
  ASSERT_TRUE((*problem)->MustRepeat(7, rule));
  EXPECT_GE((*problem)->CallLimit(), 12.0);
  EXPECT_LT((*problem)->CallLimit(), 60.0);
  const auto judged = (*problem)->JudgeNulls(eval::torch::NullsOrder(rule), 8);
  EXPECT_TRUE(judged) << judged.error().what;

  worker.limits.load_grows = worker.limits.call_grows = false;
  problem =
      eval::torch::Problem::Open(worker, {.name = "slow", .source = source});
  ASSERT_TRUE(problem) << problem.error().what;
  const auto repeats = (*problem)->MustRepeat(7, rule);
  ASSERT_FALSE(repeats);
  EXPECT_EQ(repeats.error().code, Errc::kUnfit);
  EXPECT_THAT(repeats.error().what, HasSubstr("did not return within 1 s"));
  EXPECT_EQ((*problem)->CallLimit(), 0.5);
}

// Root and candidate take 0.3 s for a call, and 0.1 s are allowed otherwise.
TEST_F(KernelBenchTest, SlowCandidatesOfSlowProblemsAreJudged) {
  const std::string source = std::string(kHead) + "import time\n" +
                             "class Model(nn.Module):\n"
                             "    def forward(self, x):\n"
                             "        time.sleep(0.3)\n"
                             "        return torch.cos(x)\n" +
                             kInputs + kInit;
  const auto task = Load(source);
  ASSERT_TRUE(task) << task.error().what;
  eval::PythonEvaluatorOptions options = Options();
  options.call_timeout_s = 0.1;
  options.call_limit_grows = true;
  const auto evaluator = eval::MakePythonEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto evaluation =
      (*evaluator)
          ->Evaluate(
              *task,
              {Language::kPython, eval::SourceOf(task->root), "ModelNew"},
              Tier::kFast);
  ASSERT_TRUE(evaluation) << evaluation.error().what;
  EXPECT_EQ(evaluation->verdict, Verdict::kPassed) << evaluation->log;
}

TEST_F(KernelBenchTest, AFileThatIsNotThereIsNamed) {
  const auto task = eval::LoadKernelBenchTask(
      Options(), folder_ / "8_Gone.py", Protocol::kCoppice, Delegation::kAny);
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, Errc::kUsage);
  EXPECT_EQ(task.error().what,
            (folder_ / "8_Gone.py").string() + ": No such file or directory");
  const auto folder = eval::LoadKernelBenchTask(
      Options(), folder_, Protocol::kCoppice, Delegation::kAny);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Errc::kUsage);
  EXPECT_EQ(folder.error().what, folder_.string() + ": Is a directory");
}

// On what get_inputs() draws, from 0 to 1, the candidate is right.
TEST_F(KernelBenchTest, ARectifierIsMoreThanItsUsualInputs) {
  const auto task = Load(std::string(kHead) +
                         "class Model(nn.Module):\n"
                         "    def forward(self, x):\n"
                         "        return torch.relu(x)\n" +
                         kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  auto evaluator = eval::MakePythonEvaluator(Options());
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto evaluation =
      (*evaluator)
          ->Evaluate(*task,
                     {Language::kPython,
                      std::string(kHead) + "class ModelNew(nn.Module):\n"
                                           "    def forward(self, x):\n"
                                           "        return x + 0\n",
                      "ModelNew"},
                     Tier::kFast);
  ASSERT_TRUE(evaluation) << evaluation.error().what;
  EXPECT_EQ(evaluation->verdict, Verdict::kWrongOutput);
  EXPECT_THAT(evaluation->log,
              testing::StartsWith("on inputs negated: output"));
}

// Neither a copy, which is right on inputs from 0 to 1, nor the mean of one
// number measures these.
TEST_F(KernelBenchTest, ARectifierAndALossAreFit) {
  const auto evaluator = eval::MakePythonEvaluator(Options());
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  for (const auto& [value, excused] :
       {std::pair{"torch.relu(x)", std::vector<std::string>{}},
        std::pair{"x.square().mean()",
                  std::vector<std::string>{"the mean of the output",
                                           "the first half twice"}}}) {
    const auto task = Load(std::string(kHead) +
                           "class Model(nn.Module):\n"
                           "    def forward(self, x):\n"
                           "        return " +
                           value + "\n" + kInputs + kInit);
    ASSERT_TRUE(task) << task.error().what;
    const auto findings = (*evaluator)->JudgeNulls(*task, eval::Anew::kYes);
    ASSERT_TRUE(findings) << findings.error().what;
    std::vector<std::string> found;
    for (const eval::Finding& finding : *findings) {
      EXPECT_TRUE(finding.Good()) << value << ": " << finding.candidate;
      if (finding.log.empty()) continue;
      found.push_back(finding.candidate);
      EXPECT_THAT(finding.log, testing::StartsWith("right by construction"));
    }
    EXPECT_EQ(found, excused) << value;
  }
}

// One evaluator, as a campaign has it: what one candidate does harms no other.
// "cpu:0" is judged as on a device.
class KernelBenchDeviceTest : public KernelBenchTest,
                              public testing::WithParamInterface<const char*> {
 protected:
  static Result<std::unique_ptr<eval::Evaluator>> MakeEvaluator() {
    eval::PythonEvaluatorOptions options = Options();
    options.device = GetParam();
    return eval::MakePythonEvaluator(options);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, KernelBenchDeviceTest,
                         testing::Values("cpu", "cpu:0"),
                         [](const auto& device) {
                           return std::string(device.param) == "cpu" ? "Host"
                                                                     : "Device";
                         });

// Numbers that are right elsewhere, and greater than the wrong ones.
TEST_P(KernelBenchDeviceTest, ByKernelBenchsRuleWrongIsWrong) {
  const std::string model =
      "class Model(nn.Module):\n    def forward(self, x):\n"
      "        return x + 2\n";
  auto task = Load(std::string(kHead) + model + kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  task->protocol = Protocol::kBenchmark;
  const auto evaluator = MakeEvaluator();
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  for (const auto& [value, expected] :
       {std::pair{"x + 1", Verdict::kWrongOutput},
        std::pair{"1 - x", Verdict::kWrongOutput},
        std::pair{"(2 + x).double()", Verdict::kWrongOutput},
        std::pair{"2 + x", Verdict::kPassed}}) {
    const std::string source = std::string(kHead) +
                               "class ModelNew(nn.Module):\n"
                               "    def forward(self, x):\n        return " +
                               value + "\n";
    const auto evaluation =
        (*evaluator)
            ->Evaluate(*task, {Language::kPython, source, "ModelNew"},
                       Tier::kFast);
    ASSERT_TRUE(evaluation) << evaluation.error().what;
    EXPECT_EQ(evaluation->verdict, expected) << value << evaluation->log;
  }
}

// By the benchmark's protocol a device's events are asked; here are none.
TEST_P(KernelBenchDeviceTest, WhatACandidateSaysItTookIsNotBelieved) {
  auto task = Load(std::string(kHead) + kModel + kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  task->protocol = Protocol::kBenchmark;
  const auto evaluator = MakeEvaluator();
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const std::string slow = eval::SourceOf(task->root) + R"(

import gc
import sys
import time

work = sys.modules["worker"].Worker


def call(self, *words):
    time.sleep(0.01)
    text, tensors, _ = work.call(self, *words)
    return text, tensors, 1e-9


for one in gc.get_objects():
    if type(one) is work:
        one.kinds[6] = call.__get__(one)
)";
  const auto evaluation =
      (*evaluator)
          ->Evaluate(*task, {Language::kPython, slow, "ModelNew"}, Tier::kFast);
  ASSERT_TRUE(evaluation) << evaluation.error().what;
  EXPECT_EQ(evaluation->verdict, Verdict::kPassed) << evaluation->log;
  EXPECT_GT(evaluation->runtime_s, 0.005);
}

// Ordinary inputs are from 0 to 1; after 14 requests it has had all checks.
TEST_P(KernelBenchDeviceTest, WhoCountsItsCallsIsFound) {
  const auto task = Load(std::string(kHead) +
                         "class Model(nn.Module):\n"
                         "    def forward(self, x):\n"
                         "        return torch.relu(x)\n" +
                         kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  const auto evaluator = MakeEvaluator();
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const std::string counts = std::string(kHead) + R"(
import sys


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.requests = set()

    def forward(self, x):
        frame = sys._getframe()
        while frame.f_code.co_name != "serve":
            frame = frame.f_back
        self.requests.add(frame.f_locals["self"].sequence)
        return torch.relu(x) if len(self.requests) <= 14 else x
)";
  const auto evaluation =
      (*evaluator)
          ->Evaluate(*task, {Language::kPython, counts, "ModelNew"},
                     Tier::kFull);
  ASSERT_TRUE(evaluation) << evaluation.error().what;
  EXPECT_EQ(evaluation->verdict, Verdict::kWrongOutput) << evaluation->log;
}

// The second takes what follows off its bias when it is constructed: the
// reference's, put in its place, would undo that.  The third makes its layers
// in another order, so that its own are not the reference's.
TEST_P(KernelBenchDeviceTest, ParametersAreTheReferencesOrAsConstructed) {
  const auto model = [](const std::string& name, const std::string& made,
                        const std::string& returned) {
    return "class " + name + "(nn.Module):\n" +
           "    def __init__(self):\n"
           "        super().__init__()\n" +
           made +
           "    def forward(self, x):\n"
           "        return " +
           returned + "\n\n\n";
  };
  const std::string first = "        self.first = nn.Linear(6, 6)\n";
  const std::string second = "        self.second = nn.Linear(6, 6)\n";
  const std::string both = "self.second(self.first(x))";
  const auto task =
      Load(std::string(kHead) + model("Model", first + second, both + " - 3") +
           kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  eval::PythonEvaluatorOptions options = Options();
  options.device = GetParam();
  auto evaluator = eval::MakePythonEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto judge = [&](const std::string& made, const std::string& returned) {
    const std::string source =
        std::string(kHead) + model("ModelNew", made, returned);
    const auto evaluation =
        (*evaluator)
            ->Evaluate(*task, {Language::kPython, source, "ModelNew"},
                       Tier::kFast);
    if (!evaluation) return evaluation.error().what;
    return std::string(Name(evaluation->verdict)) + ": " + evaluation->log;
  };
  const std::string less =
      "        with torch.no_grad(): self.second.bias.sub_(3)\n";
  EXPECT_EQ(judge(first + second, both + " - 3"), "passed: ");
  EXPECT_EQ(judge(first + second + less, both), "passed: ");
  EXPECT_EQ(judge(second + first, both + " - 3"), "passed: ");
  EXPECT_THAT(judge(first + second, both), HasSubstr("wrong_output: output"));
  EXPECT_THAT(
      judge(second + first + less, both),
      testing::AllOf(
          HasSubstr("wrong_output: with the reference's parameters: output"),
          HasSubstr("with those that it was constructed with: output")));
}

TEST_P(KernelBenchDeviceTest, EveryCandidateGetsItsVerdict) {
  const auto task = Load(std::string(kHead) + kModel + kInputs + kInit);
  ASSERT_TRUE(task) << task.error().what;
  eval::PythonEvaluatorOptions options = Options();
  options.device = GetParam();
  options.call_timeout_s = options.load_timeout_s = 20.0;
  auto evaluator = eval::MakePythonEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto judge = [&](const std::string& forward) {
    const std::string source = std::string(kHead) +
                               "class ModelNew(nn.Module):\n"
                               "    def forward(self, x):\n        " +
                               forward + "\n";
    const auto evaluation =
        (*evaluator)
            ->Evaluate(*task, {Language::kPython, source, "ModelNew"},
                       Tier::kFast);
    if (!evaluation) return evaluation.error().what;
    return std::string(Name(evaluation->verdict)) + ": " + evaluation->log;
  };
  EXPECT_EQ(judge("return x + x"), "passed: ");
  EXPECT_THAT(judge("return 3 * x"), HasSubstr("wrong_output: output y[0, 0]"));
  EXPECT_THAT(judge("return 2 * x[1:]"), HasSubstr("has shape [3, 6]"));
  EXPECT_THAT(judge("return (2 * x).half()"), HasSubstr("another type"));
  EXPECT_THAT(judge("return 2 * x, x"), HasSubstr("returned 2 tensors"));
  EXPECT_THAT(judge("return"), HasSubstr("rejected: it returned a NoneType"));
  EXPECT_THAT(judge("raise ValueError('no')"), HasSubstr("ValueError: no"));
  EXPECT_THAT(judge("return )"), HasSubstr("compile_failed: line 5"));
  EXPECT_THAT(judge("x.mul_(2); return x"),
              HasSubstr(std::string(GetParam()) == "cpu"
                            ? "crashed: killed by SIG"
                            : "rejected: it changed an input"));
  EXPECT_THAT(judge("import ctypes; ctypes.string_at(8)"),
              HasSubstr("crashed: killed by SIG"));
  EXPECT_THAT(judge("import os; os._exit(0)"),
              HasSubstr("crashed: it ended the process"));
  EXPECT_EQ(judge("return 2 * x"), "passed: ");
}

}  // namespace
}  // namespace coppice
