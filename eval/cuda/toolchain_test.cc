#include "eval/cuda/toolchain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "eval/cuda/cubin.h"
#include "eval/cuda/helpers.h"
#include "eval/cuda/launch_check.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/linkage.h"
#include "eval/formats/shapes.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/same_task.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Skips where there is no toolkit, or one without what a test needs.
class ToolchainTest : public testing::Test {
 protected:
  void SetUp() override {
    auto found = Toolchain::Find(
        {.cache_directory = COPPICE_TEST_CACHE, .nvrtc = COPPICE_NVRTC});
    if (!found) GTEST_SKIP() << found.error().what;
    toolchain_ = std::move(*found);
  }

  // None if the library for it is missing here; anything else is a failure.
  std::optional<Compiled> Cubin(const std::string& source) {
    auto compiled = toolchain_->Cubin(source);
    if (compiled) return std::move(*compiled);
    EXPECT_EQ(compiled.error().code, Errc::kUnavailable);
    reason_ = compiled.error().what;
    return {};
  }

  std::optional<Toolchain> toolchain_;
  std::string reason_;
};

constexpr char kScale[] = R"(
extern "C" __global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
)";

// The first place is no name of a file.
TEST(ToolchainFindTest, PlacesThatCannotBeLookedAtArePassedOver) {
  setenv("CUDA_PATH", std::string(5000, 'x').c_str(), 1);
  const auto found = Toolchain::Find(
      {.cache_directory = COPPICE_TEST_CACHE, .nvrtc = COPPICE_NVRTC});
  unsetenv("CUDA_PATH");
  EXPECT_THAT(found ? "no toolkit in" : found.error().what,
              HasSubstr("no toolkit in"));
}

TEST_F(ToolchainTest, DeviceCodeBecomesACubin) {
  const auto compiled = Cubin(kScale);
  if (!compiled) GTEST_SKIP() << reason_;
  ASSERT_EQ(compiled->verdict, Verdict::kPassed) << compiled->diagnostics;
  const auto kernels = ReadCubin(Contents(compiled->object));
  ASSERT_TRUE(kernels);
  ASSERT_EQ(kernels->size(), 1u);
  EXPECT_EQ(kernels->front().name, "scale");
  EXPECT_EQ(kernels->front().parameters, (std::vector<std::uint32_t>{8, 8, 4}));
  EXPECT_TRUE(Cubin(kScale)->cached);
}

TEST_F(ToolchainTest, DeviceCodeHasTheToolkitsHeaders) {
  for (const char* header :
       {"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "mma.h", "cuda_pipeline.h",
        "cooperative_groups.h", "cooperative_groups/reduce.h", "cuda/barrier",
        "cuda/std/array", "cuda/std/cstdint", "cuda/ptx"}) {
    const auto compiled =
        Cubin("#include <" + std::string(header) + ">\n" + kScale);
    if (!compiled) GTEST_SKIP() << reason_;
    EXPECT_EQ(compiled->verdict, Verdict::kPassed)
        << header << ": " << compiled->diagnostics;
  }
}

TEST_F(ToolchainTest, HasTheInstructionsOfTheArchitecture) {
  const auto compiled = Cubin(
      "extern \"C\" __global__ void k() {\n"
      "  asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
      "}\n");
  if (!compiled) GTEST_SKIP() << reason_;
  EXPECT_EQ(compiled->verdict, Verdict::kPassed) << compiled->diagnostics;
}

TEST_F(ToolchainTest, SaysWhereSourceIsWrong) {
  const auto compiled = Cubin("\nextern \"C\" __global__ void k() { f(); }\n");
  if (!compiled) GTEST_SKIP() << reason_;
  EXPECT_EQ(compiled->verdict, Verdict::kCompileFailed);
  EXPECT_THAT(compiled->diagnostics, HasSubstr("kernel.cu(2)"));
  EXPECT_THAT(compiled->diagnostics, HasSubstr("\"f\" is undefined"));
}

TEST_F(ToolchainTest, SourceReachesNoFileOfThisMachine) {
  for (const char* path : {"/etc/passwd", "/proc/self/environ", __FILE__}) {
    const auto compiled =
        Cubin("#include \"" + std::string(path) + "\"\n" + kScale);
    if (!compiled) GTEST_SKIP() << reason_;
    EXPECT_EQ(compiled->verdict, Verdict::kCompileFailed) << path;
    EXPECT_THAT(compiled->diagnostics, HasSubstr("cannot open")) << path;
  }
}

TEST_F(ToolchainTest, OurOwnKernelsCompile) {
  const auto compiled = Cubin(HelpersSource());
  if (!compiled) GTEST_SKIP() << reason_;
  EXPECT_EQ(compiled->verdict, Verdict::kPassed) << compiled->diagnostics;
}

TEST_F(ToolchainTest, HostCodeBecomesASharedObject) {
  const std::string source = std::string(kScale) + R"(
extern "C" void run(const float* x, float* y, long n, cudaStream_t stream) {
  scale<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
}
)";
  auto compiled = toolchain_->SharedObject(source);
  ASSERT_TRUE(compiled) << compiled.error().what;
  ASSERT_EQ(compiled->verdict, Verdict::kPassed) << compiled->diagnostics;
  EXPECT_EQ(CheckLinkage(Contents(compiled->object), {}), "");
}

TEST_F(ToolchainTest, ABrokenSharedObjectIsTheCandidatesFault) {
  auto compiled = toolchain_->SharedObject("extern \"C\" void run() { f(); }");
  ASSERT_TRUE(compiled) << compiled.error().what;
  EXPECT_EQ(compiled->verdict, Verdict::kCompileFailed);
  EXPECT_THAT(compiled->diagnostics, HasSubstr("\"f\" is undefined"));
}

// The plans of all tasks that there are fit their definitions and, where they
// can be compiled, their kernels.
TEST_F(ToolchainTest, EveryTasksLaunchesFitItsKernels) {
  const fs::path root = fs::path(COPPICE_TASKS_DIR) / "cuda";
  if (!fs::exists(root)) GTEST_SKIP() << root << ": no tasks";
  const auto tasks = LoadTasks(root);
  ASSERT_TRUE(tasks) << tasks.error().what;
  EXPECT_FALSE(tasks->empty());
  for (const Task& task : *tasks) {
    const std::string& name = task.definition.name;
    for (const PlanSide role : {PlanSide::kKernel, PlanSide::kOracle}) {
      const std::string& source =
          SourceOf(role == PlanSide::kOracle ? task.oracle : task.root);
      const auto compiled = Cubin(source);
      for (const Workload& workload : task.workloads) {
        const auto plan =
            EvaluateLaunchPlan(source, task.definition, workload, role);
        EXPECT_EQ(plan.error, "") << name;
        if (!compiled) continue;
        ASSERT_EQ(compiled->verdict, Verdict::kPassed)
            << name << ": " << compiled->diagnostics;
        const auto kernels = ReadCubin(Contents(compiled->object));
        ASSERT_TRUE(kernels) << name;
        const auto shapes = Resolve(task.definition, workload);
        ASSERT_TRUE(shapes) << shapes.error().what;
        EXPECT_EQ(CheckLaunches(plan.runner_program, *shapes, *kernels), "")
            << name;
      }
    }
  }
}

}  // namespace
}  // namespace coppice::eval::cuda
