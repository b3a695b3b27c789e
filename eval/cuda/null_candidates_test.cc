#include "eval/cuda/null_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "eval/cuda/cubin.h"
#include "eval/cuda/launch_check.h"
#include "eval/cuda/launch_plan.h"
#include "eval/cuda/toolchain.h"
#include "eval/formats/shapes.h"
#include "eval/formats/test_tasks.h"
#include "eval/formats/trace_set.h"

namespace coppice::eval::cuda {
namespace {

using testing::HasSubstr;

std::vector<NullCandidate> NullsOf(const Task& task) {
  auto nulls = cuda::NullCandidates(task);
  EXPECT_TRUE(nulls) << nulls.error().what;
  return nulls.value_or(std::vector<NullCandidate>{});
}

// y[M, K] of every type that there is, from a scalar and a tensor.
Task TaskOfTypes(DType input, DType output) {
  Task task = CudaScaleTask();
  task.definition.name = "types";
  task.definition.axes = {{"M", std::nullopt, std::nullopt},
                          {"K", 3, std::nullopt}};
  task.definition.inputs = {eval::Tensor("x", {"M"}, input), Scalar("a")};
  task.definition.outputs = {eval::Tensor("y", {"M", "K"}, output),
                             eval::Tensor("z", {}, DType::kFloat32)};
  task.workloads = {MakeWorkload("small", {{"M", 5}}),
                    MakeWorkload("large", {{"M", 700}})};
  task.root.sources[0].content =
      "//@ launch nothing<<<1, 1>>>()\n"
      "extern \"C\" __global__ void nothing() {}\n";
  return task;
}

TEST(CudaNullCandidatesTest, HaveAPlanOfTheirOwn) {
  const std::vector<NullCandidate> nulls = NullsOf(CudaScaleTask());
  ASSERT_EQ(nulls.size(), 9u);
  EXPECT_EQ(nulls[0].name, "zeros");
  EXPECT_EQ(nulls[0].source, R"(
//@ launch null_0_<<<ceil_div(N, 256), 256>>>(y, N)
extern "C" __global__ void null_0_(float* y_, long long n_) {
  const long long i_ = blockIdx.x * 256LL + threadIdx.x;
  if (i_ >= n_) return;
  y_[i_] = static_cast<float>(0.0);
}
)");
}

TEST(CudaNullCandidatesTest, AFirstInputIsCopiedByItsKind) {
  Task task = TaskOfTypes(DType::kFloat16, DType::kInt64);
  EXPECT_THAT(NullsOf(task)[3].source,
              HasSubstr("(y, M * K, x, M)\n"
                        "extern \"C\" __global__ void null_0_(long long* y_, "
                        "long long n_, const __half* x_, long long of_)"));
  std::swap(task.definition.inputs[0], task.definition.inputs[1]);
  EXPECT_THAT(NullsOf(task)[3].source,
              HasSubstr("(y, M * K, a)\n"
                        "extern \"C\" __global__ void null_0_(long long* y_, "
                        "long long n_, float x_)"));
}

// 700 * 3 elements at most.
TEST(CudaNullCandidatesTest, ThePreviousOutputOfEveryWorkloadIsKept) {
  const std::string source =
      NullsOf(TaskOfTypes(DType::kFloat32, DType::kBFloat16))[5].source;
  EXPECT_THAT(source, HasSubstr("__device__ __nv_bfloat16 "
                                "previous_0_[2100];"));
  EXPECT_THAT(source, HasSubstr("__device__ float previous_1_[1];"));
}

TEST(CudaNullCandidatesTest, SpoilWhatTheRootsPlanHasWritten) {
  const Task task = CudaScaleTask();
  for (std::size_t i = 4; i < 9; ++i) {
    const NullCandidate null = NullsOf(task)[i];
    const EvaluatedPlan plan = EvaluateLaunchPlan(
        null.source, task.definition, task.workloads[0], PlanSide::kKernel);
    ASSERT_EQ(plan.error, "") << null.name;
    ASSERT_EQ(plan.runner_program.launches.size(), 2u) << null.name;
    EXPECT_STREQ(plan.runner_program.launches[0].kernel.data(), "scale");
    EXPECT_STREQ(plan.runner_program.launches[1].kernel.data(), "null_0_");
  }
}

TEST(CudaNullCandidatesTest, WholeNumbersHaveNoBitsToLose) {
  Task task = TaskOfTypes(DType::kFloat32, DType::kInt32);
  task.definition.outputs.pop_back();
  EXPECT_EQ(NullsOf(task).back().name, "all but the last element");
}

TEST(CudaNullCandidatesTest, RefuseWhatKernelsDoNotTake) {
  const auto nulls =
      cuda::NullCandidates(TaskOfTypes(DType::kFloat8E4M3FN, DType::kFloat32));
  ASSERT_FALSE(nulls);
  EXPECT_THAT(nulls.error().what, HasSubstr("types: tensor x: its dtype"));
}

TEST(CudaNullCandidatesTest, RefuseARootThatHasNoPlan) {
  Task task = CudaScaleTask();
  task.root.sources[0].content = "extern \"C\" void run() {}\n";
  const auto nulls = cuda::NullCandidates(task);
  ASSERT_FALSE(nulls);
  EXPECT_EQ(nulls.error().what,
            "cuda_scale: its root has no launch plan to add to");
}

// Judges sources as far as that goes without a device.
class CudaNullSourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto found = Toolchain::Find(
        {.cache_directory = COPPICE_TEST_CACHE, .nvrtc = COPPICE_NVRTC});
    if (found) toolchain_ = std::move(*found);
  }

  // The kernels of a source; none where there is no compiler.
  std::optional<std::vector<KernelFacts>> Kernels(const std::string& source) {
    if (!toolchain_) return {};
    const auto compiled = toolchain_->Cubin(source);
    if (!compiled) {
      EXPECT_EQ(compiled.error().code, Errc::kUnavailable);
      return {};
    }
    EXPECT_EQ(compiled->verdict, Verdict::kPassed)
        << compiled->diagnostics << source;
    if (compiled->verdict != Verdict::kPassed) return {};
    std::ifstream file(compiled->object, std::ios::binary);
    const std::string code{std::istreambuf_iterator<char>(file), {}};
    return ReadCubin(code);
  }

  void Judge(const Task& task) {
    for (const NullCandidate& null : NullsOf(task)) {
      const auto kernels = Kernels(null.source);
      for (const Workload& workload : task.workloads) {
        const EvaluatedPlan plan = EvaluateLaunchPlan(
            null.source, task.definition, workload, PlanSide::kKernel);
        EXPECT_EQ(plan.error, "") << task.definition.name << ": " << null.name;
        const auto shapes = Resolve(task.definition, workload);
        ASSERT_TRUE(shapes) << shapes.error().what;
        if (!kernels) continue;
        EXPECT_EQ(CheckLaunches(plan.runner_program, *shapes, *kernels), "")
            << task.definition.name << ": " << null.name;
      }
    }
  }

  std::optional<Toolchain> toolchain_;
};

TEST_F(CudaNullSourcesTest, AreMadeOfEveryType) {
  const DType types[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16,
                         DType::kInt64,   DType::kInt32,   DType::kInt16,
                         DType::kInt8,    DType::kBool};
  for (const DType type : types) {
    Judge(TaskOfTypes(type, DType::kFloat32));
    Judge(TaskOfTypes(DType::kFloat32, type));
  }
}

TEST_F(CudaNullSourcesTest, FitEveryTaskThatThereIs) {
  const std::filesystem::path root =
      std::filesystem::path(COPPICE_TASKS_DIR) / "cuda";
  const auto tasks = LoadTasks(root);
  ASSERT_TRUE(tasks) << tasks.error().what;
  ASSERT_FALSE(tasks->empty());
  for (const Task& task : *tasks) Judge(task);
}

}  // namespace
}  // namespace coppice::eval::cuda
