// The examples that prompts show (data/prompts/v1/example_*.txt, kernels_*.txt)
// are right: what is given, what the implementer answers, and kernels that a
// module in PyTorch brings, pass.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "agents/prompt/code_fences.h"
#include "agents/prompt/grounded_instructions.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/preparation.h"
#include "eval/cuda/toolchain.h"
#include "eval/formats/test_tasks.h"
#include "eval/host/nvml.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/kernelbench.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"
#include "tests/chosen_python.h"

namespace coppice::eval {
namespace {
namespace fs = std::filesystem;

std::string Text(const std::string& name) {
  std::ifstream file(fs::path(COPPICE_SOURCE_DIR) / "data/prompts" /
                     (name + ".txt"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Given(const std::string& kind) {
  return agents::FindFencedBlocks(Text("v1/example_" + kind)).at(0).content;
}

std::string Answered(const std::string& kind) {
  return agents::ParseCodeAnswer(Text("v1/example_" + kind + "_code")).value();
}

// s[N] = sum over the rows of A[M,N], which all examples compute.  Neither
// slices of 64 rows nor blocks of 128 columns divide the odd one.
Task ColumnSum(const std::string& root, const std::string& oracle) {
  Task task;
  task.definition.name = "column_sum";
  task.definition.axes = {{"M", std::nullopt, std::nullopt},
                          {"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("A", {"M", "N"})};
  task.definition.outputs = {Tensor("s", {"N"})};
  task.workloads = {MakeWorkload("even", {{"M", 512}, {"N", 1024}}),
                    MakeWorkload("odd", {{"M", 333}, {"N", 777}})};
  task.root = MakeSolution("run", root);
  task.oracle = MakeSolution("oracle", oracle);
  return task;
}

Task CpuTask() {
  return ColumnSum(Given("cpp"), R"(
#include <cmath>
#include <cstdint>
extern "C" void oracle(const double* A, double* s, double* s_m, int64_t M,
                       int64_t N) {
  for (int64_t j = 0; j < N; ++j) {
    double terms = 0;
    s[j] = 0;
    for (int64_t i = 0; i < M; ++i) {
      s[j] += A[i * N + j];
      terms += std::abs(A[i * N + j]);
    }
    s_m[j] = std::sqrt(double(M)) * terms;
  }
}
)");
}

Task CudaTask() {
  Task task = ColumnSum(Given("cuda"), R"(
//@ launch oracle<<<ceil_div(N, 128), 128>>>(A, s, s_m, M, N)
extern "C" __global__ void oracle(const float* A, double* s, double* s_m,
                                  long long M, long long N) {
  const long long j = blockIdx.x * 128ll + threadIdx.x;
  if (j >= N) return;
  double sum = 0, terms = 0;
  for (long long i = 0; i < M; ++i) {
    sum += A[i * N + j];
    terms += fabs(double(A[i * N + j]));
  }
  s[j] = sum;
  s_m[j] = sqrt(double(M)) * terms;
}
)");
  task.root.language = task.oracle.language = Language::kCuda;
  return task;
}

// What kernels_*.txt shows as its block of that number, as a candidate of a
// module that does what it is for.
std::string ModuleOf(const std::string& device, std::size_t block) {
  return agents::FindFencedBlocks(Text("kernels_" + device)).at(block).content +
         "\nclass ModelNew(torch.nn.Module):\n"
         "    def forward(self, x, s):\n"
         "        return scaled(x, s)\n";
}

// Rows of 100, which no vector or block divides.
constexpr char kScaledRows[] = R"(
import torch

class Model(torch.nn.Module):
    def forward(self, x, s):
        return x * s[:, None]

def get_inputs():
    return [torch.rand(65, 100), torch.rand(65)]

def get_init_inputs():
    return []
)";

void ExpectModulePasses(const std::string& device, const std::string& source) {
  PythonEvaluatorOptions options;
  options.python = ChosenPython();
  options.scripts = COPPICE_PYTHON_SCRIPTS;
  options.device = device;
  options.load_timeout_s = 300.0;
  options.checks_only = true;
  const auto interpreter = torch::FindInterpreter(options.python);
  if (!interpreter) GTEST_SKIP() << "skipped: " << interpreter.error().what;
  if (device != "cpu" && interpreter->cuda.empty()) {
    GTEST_SKIP() << "skipped: PyTorch is built without CUDA";
  }
  const fs::path folder = fs::path(testing::TempDir()) / "examples/level1";
  fs::create_directories(folder);
  std::ofstream(folder / "1_ScaledRows.py") << kScaledRows;
  const auto task =
      LoadKernelBenchTask(options, folder / "1_ScaledRows.py",
                          Protocol::kCoppice, Delegation::kOwnKernels);
  ASSERT_TRUE(task) << task.error().what;
  const auto evaluator = MakePythonEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  const auto judged =
      (*evaluator)
          ->Evaluate(*task, {Language::kPython, source, "ModelNew"},
                     Tier::kFast);
  ASSERT_TRUE(judged) << judged.error().what;
  EXPECT_EQ(Name(judged->verdict), "passed") << judged->log << source;
}

TEST(PromptExamplesTest, TheModuleInCppPasses) {
  ExpectModulePasses("cpu", ModuleOf("cpu", 0));
}

TEST(PromptExamplesTest, TheOneInCppPasses) {
  CpuEvaluatorOptions options;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.runner = COPPICE_RUNNER;
  const auto evaluator = MakeCpuEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  for (const std::string& source : {Given("cpp"), Answered("cpp")}) {
    const auto judged =
        (*evaluator)
            ->Evaluate(CpuTask(), {Language::kCpp, source, "run"}, Tier::kFull);
    ASSERT_TRUE(judged) << judged.error().what;
    EXPECT_EQ(Name(judged->verdict), "passed") << judged->log << source;
  }
}

// As far as a toolkit can tell without a device.
TEST(PromptExamplesTest, ExamplesInCudaCompile) {
  cuda::ToolchainOptions options;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.nvrtc = COPPICE_NVRTC;
  options.timeout_s = 120.0;
  const auto toolchain = cuda::Toolchain::Find(options);
  if (!toolchain) GTEST_SKIP() << "skipped: " << toolchain.error().what;
  for (const std::string kind : {"cuda", "cuda_host"}) {
    for (const std::string& source : {Given(kind), Answered(kind)}) {
      const auto prepared = cuda::Prepare(*toolchain, CudaTask(),
                                          {Language::kCuda, source, "run"},
                                          cuda::PlanSide::kKernel);
      // A toolkit without NVRTC compiles no device code.
      if (!prepared && prepared.error().code == Errc::kUnavailable) {
        GTEST_SKIP() << "skipped: " << prepared.error().what;
      }
      ASSERT_TRUE(prepared) << prepared.error().what;
      EXPECT_EQ(Name(prepared->verdict), "passed")
          << prepared->diagnostics << source;
      EXPECT_EQ(prepared->assignments.size(), 2u);
    }
  }
}

TEST(PromptExamplesOnDeviceTest, ExamplesInCudaPass) {
  if (!cuda::Nvml::Open()) GTEST_SKIP() << "skipped: no CUDA device";
  CudaEvaluatorOptions options;
  options.cache_directory = COPPICE_TEST_CACHE;
  options.runner = COPPICE_CUDA_RUNNER;
  options.nvrtc = COPPICE_NVRTC;
  const auto evaluator = MakeCudaEvaluator(options);
  ASSERT_TRUE(evaluator) << evaluator.error().what;
  for (const std::string kind : {"cuda", "cuda_host"}) {
    for (const std::string& source : {Given(kind), Answered(kind)}) {
      const auto judged =
          (*evaluator)
              ->Evaluate(CudaTask(), {Language::kCuda, source, "run"},
                         Tier::kFast);
      ASSERT_TRUE(judged) << judged.error().what;
      EXPECT_EQ(Name(judged->verdict), "passed") << judged->log << source;
      EXPECT_NE(judged->environment.facts.find("multiprocessors"),
                std::string::npos);
      std::printf("%s: %s; %s\n", kind.c_str(), judged->profile.c_str(),
                  judged->environment.facts.c_str());
    }
  }
}

TEST(PromptExamplesOnDeviceTest, TheModuleInCudaPasses) {
  if (!cuda::Nvml::Open()) GTEST_SKIP() << "skipped: no CUDA device";
  ExpectModulePasses("cuda:0", ModuleOf("cuda", 0));
}

TEST(PromptExamplesOnDeviceTest, TheModuleInTritonPasses) {
  if (!cuda::Nvml::Open()) GTEST_SKIP() << "skipped: no CUDA device";
  ExpectModulePasses("cuda:0", ModuleOf("cuda", 1));
}

}  // namespace
}  // namespace coppice::eval
