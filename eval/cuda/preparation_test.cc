#include "eval/cuda/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "eval/cuda/launch_plan.h"
#include "eval/cuda/toolchain.h"
#include "eval/formats/test_tasks.h"

namespace coppice::eval::cuda {
namespace {

using testing::HasSubstr;

// Skips where there is no toolkit, or one that compiles no device code.
class PreparationTest : public testing::Test {
 protected:
  void SetUp() override {
    auto found = Toolchain::Find(
        {.cache_directory = COPPICE_TEST_CACHE, .nvrtc = COPPICE_NVRTC});
    if (!found) GTEST_SKIP() << found.error().what;
    toolchain_ = std::move(*found);
    const auto compiled =
        toolchain_->Cubin("extern \"C\" __global__ void k() {}\n");
    if (!compiled) GTEST_SKIP() << compiled.error().what;
  }

  Prepared Prepare(const std::string& source) {
    auto prepared =
        cuda::Prepare(*toolchain_, CudaScaleTask(),
                      {Language::kCuda, source, "run"}, PlanSide::kKernel);
    EXPECT_TRUE(prepared) << prepared.error().what;
    return prepared.value_or(Prepared{});
  }

  std::optional<Toolchain> toolchain_;
};

// The workloads have 1000 and 4096 elements.
TEST_F(PreparationTest, DeviceCodeHasLaunchesForEachWorkload) {
  const Prepared prepared = Prepare(CudaScaleTask().root.sources[0].content);
  ASSERT_EQ(prepared.verdict, Verdict::kPassed) << prepared.diagnostics;
  ASSERT_EQ(prepared.assignments.size(), 2u);
  EXPECT_EQ(prepared.assignments[0].part, Part::kDeviceCode);
  EXPECT_EQ(prepared.assignments[0].launches[0].grid[0], 4u);
  EXPECT_EQ(prepared.assignments[1].launches[0].grid[0], 16u);
  EXPECT_EQ(prepared.assignments[0].code, prepared.assignments[1].code);
  EXPECT_FALSE(HasUntrustedHostCode(prepared));
  ASSERT_TRUE(prepared.reduced);
  EXPECT_EQ(prepared.reduced->launches[0].grid[0], 1u);  // N=232.
  EXPECT_EQ(prepared.reduced->code, prepared.assignments[0].code);
}

TEST_F(PreparationTest, CodeMayHaveNoMeaningOnASmallerWorkload) {
  Task task = CudaScaleTask();
  std::string& source = task.root.sources[0].content;
  const std::string blocks = "ceil_div(N, 256)";
  source.replace(source.find(blocks), blocks.size(), "N / 300");
  const Prepared prepared = Prepare(source);
  ASSERT_EQ(prepared.verdict, Verdict::kPassed) << prepared.diagnostics;
  EXPECT_FALSE(prepared.reduced);
}

// 1000 = 15 x 64 + 40, and 3 x 64 + 40 = 232; 257 = 4 x 64 + 1.
TEST(ReducedTest, RemaindersOfTilesStay) {
  using Axes = std::vector<std::pair<std::string, std::int64_t>>;
  Task task = CudaScaleTask();
  task.workloads.front().axes = {
      {"N", 1000}, {"M", 1024}, {"K", 256}, {"L", 257}};
  const auto reduced = Reduced(task);
  ASSERT_TRUE(reduced);
  EXPECT_EQ(reduced->axes,
            (Axes{{"N", 232}, {"M", 192}, {"K", 256}, {"L", 193}}));
}

TEST(ReducedTest, NothingIsSmallerThanSmall) {
  Task task = CudaScaleTask();
  task.workloads.front().axes = {{"N", 256}};
  EXPECT_FALSE(Reduced(task));
}

TEST(ReducedTest, InputsFromFilesHaveTheirShape) {
  Task task = CudaScaleTask();
  task.workloads.front().inputs = {{"x", SafetensorsInput{"file", "key"}}};
  EXPECT_FALSE(Reduced(task));
}

TEST_F(PreparationTest, APlanThatCannotBeRunIsNotCompiled) {
  const Prepared prepared = Prepare("//@ launch k<<<K, 1>>>()\nno C++\n");
  EXPECT_EQ(prepared.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(prepared.diagnostics, HasSubstr("kernel.cu:1:"));
  EXPECT_THAT(prepared.diagnostics, HasSubstr("unknown axis K"));
  EXPECT_TRUE(prepared.assignments.empty());
}

TEST_F(PreparationTest, ALaunchThatDoesNotFitItsKernelIsRefused) {
  const Prepared prepared = Prepare(
      "//@ launch k<<<1, 1>>>(x)\nextern \"C\" __global__ void k() {}\n");
  EXPECT_EQ(prepared.verdict, Verdict::kCompileFailed);
  EXPECT_THAT(prepared.diagnostics,
              HasSubstr("takes 0 parameters, the launch gives 1"));
}

TEST_F(PreparationTest, ARootThatDoesNotCompileIsAnErrorOfTheTask) {
  Task task = CudaScaleTask();
  task.root.sources[0].content =
      "//@ launch k<<<1, 1>>>()\nextern \"C\" __global__ void k() { f(); }\n";
  const auto broken =
      PrepareTrusted(*toolchain_, task, task.root, PlanSide::kKernel);
  ASSERT_FALSE(broken);
  // No compiler, but what was compiled before is in the cache.
  if (broken.error().code == Errc::kUnavailable) GTEST_SKIP();
  EXPECT_EQ(broken.error().code, Errc::kUsage);
  EXPECT_THAT(broken.error().what,
              HasSubstr("cuda_scale: solution run: does not compile"));
  task.root.sources[0].content = "extern \"C\" void run() {}\n";
  EXPECT_THAT(PrepareTrusted(*toolchain_, task, task.root, PlanSide::kKernel)
                  .error()
                  .what,
              HasSubstr("must be one CUDA file with a launch plan"));
}

}  // namespace
}  // namespace coppice::eval::cuda
