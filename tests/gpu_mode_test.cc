// Problems of GPU MODE, good ones and others, through the whole evaluator.
// Needs a Python with PyTorch, and says so where there is none.
#include "eval/torch/gpu_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "eval/formats/trace_set.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/judge/same_task.h"
#include "eval/torch/interpreter.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kProblems = fs::path(COPPICE_SOURCE_DIR) / "tests/gpu_mode";

eval::PythonEvaluatorOptions Options() {
  eval::PythonEvaluatorOptions options;
  options.python = ChosenPython();
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.threads = 1;
  return options;
}

Result<Task> Load(const fs::path& folder) {
  return eval::LoadGpuModeTask(Options(), folder, Delegation::kAny);
}

class GpuModeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = eval::torch::FindInterpreter(Options().python);
    if (!found) GTEST_SKIP() << found.error().what;
    folder_ =
        fs::path(testing::TempDir()) / ("gpumode" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Loads a reference without other files, whose arguments are a size and a
  // seed.
  Result<Task> LoadReference(const std::string& text) {
    std::ofstream(folder_ / "task.yml")
        << "files: [{name: reference.py, source: reference.py}]\n"
           "benchmarks: [{size: 64, seed: 1}]\n";
    std::ofstream(folder_ / "reference.py") << text;
    return Load(folder_);
  }

  std::string Complaint(const std::string& text) {
    const auto task = LoadReference(text);
    if (task) return "nothing";
    EXPECT_EQ(task.error().code, Errc::kUsage);
    const std::string prefix = folder_.string() + ": ";
    EXPECT_THAT(task.error().what, testing::StartsWith(prefix));
    return task.error().what.substr(prefix.size());
  }

  Evaluation Judge(const Task& task, const std::string& source,
                   const std::string& device = "cpu") {
    eval::PythonEvaluatorOptions options = Options();
    options.device = device;
    auto judge = eval::MakeGpuModeEvaluator(options);
    EXPECT_TRUE(judge) << judge.error().what;
    auto found = (*judge)->Evaluate(
        task, {Language::kPython, source, "custom_kernel"}, Tier::kFast);
    EXPECT_TRUE(found) << found.error().what;
    return found ? *found : Evaluation{};
  }

  fs::path folder_;
};

constexpr const char* kCheck =
    "def check_implementation(data, output):\n"
    "    return torch.allclose(output, ref_kernel(data)), ''\n";

TEST_F(GpuModeTest, EachBenchmarkIsAWorkload) {
  const auto task = Load(kProblems / "rows_py");
  ASSERT_TRUE(task) << task.error().what;
  const Definition& definition = task->definition;
  EXPECT_EQ(definition.name, "gpu_mode_rows_py");
  ASSERT_EQ(task->workloads.size(), 2U);
  EXPECT_EQ(task->workloads[0].uuid, "rows=256, columns=512, kind=plain");
  EXPECT_EQ(task->workloads[1].uuid, "rows=512, columns=256, kind=plain");
  EXPECT_THAT(definition.tags,
              ElementsAre("rtol:0.001", "atol:0.001",
                          "test:rows=3, columns=5, kind=plain",
                          "test:rows=4, columns=4, kind=gaps"));
  // The definition has the sizes of the first; b is transposed, and comes as it
  // lies.
  ASSERT_EQ(definition.inputs.size(), 3U);
  EXPECT_THAT(*definition.inputs[1].shape, ElementsAre("n512", "n256"));
  EXPECT_THAT(*definition.description,
              HasSubstr("On its first workload data = (input1, "
                        "input2.permute([1, 0]), {'scale': input3, 'offset': "
                        "None}, 0.5)"));
  EXPECT_THAT(eval::SourceOf(task->root),
              testing::EndsWith("\n\ncustom_kernel = ref_kernel\n"));

  const auto again = eval::ParseTask(eval::SerialiseTask(*task));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE(eval::SameTask(*task, *again));
  EXPECT_EQ(again->format, TaskFormat::kGpuMode);
}

// It imports the problem's files, as submissions do, and its line numbers are
// its own.
TEST_F(GpuModeTest, ASubmissionIsJudgedOnAllWorkloads) {
  const auto task = Load(kProblems / "rows_py");
  ASSERT_TRUE(task) << task.error().what;
  const Evaluation right =
      Judge(*task,
            "#!POPCORN leaderboard rows\n"
            "from __future__ import annotations\n"
            "from task import input_t, output_t\n\n\n"
            "def custom_kernel(data: input_t) -> output_t:\n"
            "    a, b, weights, factor = data\n"
            "    assert b.stride() == (1, b.shape[0]) and factor == 0.5\n"
            "    return factor * b + a * weights['scale'].unsqueeze(1)\n");
  EXPECT_EQ(right.verdict, Verdict::kPassed) << right.log;
  ASSERT_EQ(right.workloads.size(), 2U);
  EXPECT_EQ(right.workloads[1].workload, "rows=512, columns=256, kind=plain");
  EXPECT_TRUE(right.speedup);

  const Evaluation crashed = Judge(*task,
                                   "from utils import match_reference\n"
                                   "def custom_kernel(data):\n"
                                   "    return data[9]\n");
  EXPECT_EQ(crashed.verdict, Verdict::kCrashed);
  EXPECT_THAT(crashed.log, HasSubstr("line 3, in custom_kernel"));
}

// So what it knows of one it has for the next, and a process is paid for once.
// On "cpu:0" they are judged as on a GPU, where its memory is other for each.
TEST_F(GpuModeTest, OneProcessOfACandidateMeetsTestsAndBenchmarks) {
  const auto task = Load(kProblems / "rows_py");
  ASSERT_TRUE(task) << task.error().what;
  for (const char* device : {"cpu", "cpu:0"}) {
    const Evaluation found =
        Judge(*task,
              "met = []\n\n"
              "def custom_kernel(data):\n"
              "    a, b, weights, factor = data\n"
              "    if tuple(a.shape) not in met:\n"
              "        met.append(tuple(a.shape))\n"
              "    if len(a) == 512:\n"
              "        assert met == [(3, 5), (4, 4), (256, 512), (512, 256)]\n"
              "    return factor * b + a * weights['scale'].unsqueeze(1)\n",
              device);
    EXPECT_EQ(found.verdict, Verdict::kPassed) << device << ": " << found.log;
    ASSERT_EQ(found.workloads.size(), 2U);
    EXPECT_FALSE(found.workloads[0].samples_s.empty());
    EXPECT_FALSE(found.workloads[1].samples_s.empty());
  }
}

// Only the second test has as many rows as columns.
TEST_F(GpuModeTest, TestsAreCheckedAndNotTimed) {
  const auto task = Load(kProblems / "rows_py");
  ASSERT_TRUE(task) << task.error().what;
  const Evaluation wrong = Judge(
      *task,
      "def custom_kernel(data):\n"
      "    a, b, weights, factor = data\n"
      "    rows = 0 if a.shape[0] == a.shape[1] else 1\n"
      "    return rows * a * weights['scale'].unsqueeze(1) + factor * b\n");
  EXPECT_EQ(wrong.verdict, Verdict::kWrongOutput);
  ASSERT_EQ(wrong.workloads.size(), 1U);
  EXPECT_EQ(wrong.workloads[0].workload, "test rows=4, columns=4, kind=gaps");
  EXPECT_TRUE(wrong.workloads[0].samples_s.empty());
}

// Its own tolerance is computed, so coppice's holds: 1e-4 of a number and of
// the root mean square.  Half the buffer has no value then.
TEST_F(GpuModeTest, ABufferIsMadeForEachCall) {
  const auto task = Load(kProblems / "filled_py");
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_THAT(task->definition.tags, ElementsAre("test:size=7"));
  EXPECT_EQ(task->definition.inputs.size(), 1U);
  EXPECT_THAT(*task->definition.description,
              HasSubstr("data = (input1, torch.empty((65536,), "
                        "dtype=torch.float32))"));
  EXPECT_EQ(Judge(*task,
                  "import torch\n"
                  "def custom_kernel(data):\n"
                  "    return torch.square(data[0], out=data[1])\n")
                .verdict,
            Verdict::kPassed);
  EXPECT_EQ(Judge(*task,
                  "def custom_kernel(data):\n"
                  "    x, output = data\n"
                  "    output[:3] = x[:3] * x[:3]\n"
                  "    output[3:] = 0\n"
                  "    return output\n")
                .verdict,
            Verdict::kWrongOutput);
}

// Then what it filled is what counts.
TEST_F(GpuModeTest, AReferenceMayReturnNothing) {
  const auto task = LoadReference(
      "import torch\n"
      "def generate_input(size, seed):\n"
      "    return [torch.rand(size), torch.empty(size, dtype=torch.int32)]\n"
      "def ref_kernel(data):\n"
      "    data[1].copy_(1000 * data[0])\n" +
      std::string(kCheck));
  ASSERT_TRUE(task) << task.error().what;
  ASSERT_EQ(task->definition.outputs.size(), 1U);
  EXPECT_EQ(task->definition.outputs[0].dtype, DType::kInt32);
}

TEST_F(GpuModeTest, WhatCannotBeJudgedIsOneLine) {
  const std::string head = "import torch\n";
  const std::string kernel = "def ref_kernel(data):\n    return data + 1\n";
  const auto drawn = [](const std::string& data) {
    return "calls = []\n"
           "def generate_input(size, seed):\n"
           "    calls.append(seed)\n"
           "    return " +
           data + "\n";
  };
  EXPECT_EQ(Complaint(head + kernel + kCheck),
            "reference.py defines no generate_input; a problem of GPU MODE has "
            "generate_input, ref_kernel(data) and check_implementation");
  EXPECT_EQ(Complaint(head + kernel + drawn("torch.rand(size)")),
            "reference.py defines no check_implementation");
  EXPECT_EQ(Complaint(head + kernel + drawn("torch.rand(size)") +
                      "def check_implementation(data, output):\n"
                      "    return bool((output > data).all()), ''\n"),
            "its check_implementation does not compare with ref_kernel; "
            "outputs that have a property are not judged here");
  const std::string at = "benchmark size=64: ";
  EXPECT_EQ(Complaint(head + kernel + kCheck + drawn("object()")),
            at + "generate_input returns a object; expected tensors, numbers, "
                 "texts, and tuples, lists and dicts of them");
  EXPECT_EQ(Complaint(head + kernel + kCheck +
                      drawn("torch.ones(size, dtype=torch.uint8)")),
            at + "generate_input returns a tensor of torch.uint8; such are not "
                 "supported");
  EXPECT_EQ(
      Complaint(head + kernel + kCheck + drawn("torch.rand(2, size)[:, ::2]")),
      at + "generate_input returns a tensor that is no dense array (strides "
           "[64, 2], sizes [2, 32])");
  EXPECT_EQ(
      Complaint(head + kCheck + drawn("(torch.rand(size), len(calls))") +
                "def ref_kernel(data):\n    return data[0]\n"),
      at + "generate_input returns other numbers, texts or tensors' places "
           "from call to call");
  EXPECT_EQ(
      Complaint(head + kCheck + drawn("torch.rand(size)") +
                "def ref_kernel(data):\n    return data.add_(1)\n"),
      at + "ref_kernel writes to a tensor of data and depends on what was in "
           "it; a tensor can be an input or a buffer to be filled");
  EXPECT_THAT(Complaint(head + kernel + kCheck + drawn("torch.rand(sise)")),
              testing::StartsWith(at + "reference.py line 9: NameError: "));
  EXPECT_EQ(Complaint(head + kernel + kCheck + drawn("torch.rand(0, size)")),
            at +
                "ref_kernel returns tensors without elements; there is nothing "
                "to judge a kernel by, nor to time");
  EXPECT_EQ(Complaint(head + "def ref_kernel(data:\n"),
            "reference.py line 2: '(' was never closed");
}

// Which is not looked at before a candidate is judged.
TEST_F(GpuModeTest, AComplaintNamesFileAndBenchmark) {
  std::ofstream(folder_ / "task.yml")
      << "files: [{name: reference.py, source: reference.py},\n"
         "        {name: utils.py, source: utils.py}]\n"
         "benchmarks: [{size: 64}, {size: 65}]\n";
  std::ofstream(folder_ / "utils.py") << "def even(n):\n"
                                         "    if n % 2:\n"
                                         "        raise ValueError(n)\n"
                                         "    return n\n";
  std::ofstream(folder_ / "reference.py")
      << "import torch\nfrom utils import even\n"
         "def generate_input(size):\n    return torch.rand(even(size))\n"
         "def ref_kernel(data):\n    return data + 1\n"
      << kCheck;
  const auto task = Load(folder_);
  ASSERT_TRUE(task) << task.error().what;
  auto judge = eval::MakeGpuModeEvaluator(Options());
  ASSERT_TRUE(judge) << judge.error().what;
  const auto found = (*judge)->JudgeNulls(*task, eval::Anew::kYes);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUsage);
  EXPECT_EQ(found.error().what,
            task->definition.name +
                ": benchmark size=65: utils.py line 3: ValueError: 65");
}

}  // namespace
}  // namespace coppice
