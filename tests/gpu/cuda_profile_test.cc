// What is told of CUDA candidates that pass, on a device.  y[N] = a * x[N].

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eval/formats/test_tasks.h"
#include "eval/host/nvml.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "store/records/evaluation.h"
#include "store/records/profile.h"
#include "store/records/tier.h"

namespace coppice::eval {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

const char kTwoKernels[] = R"(
//@ launch copy<<<ceil_div(N, 256), 256, 4096>>>(x, y, N)
//@ launch scale<<<ceil_div(N, 128), 128>>>(a, y, N)
extern "C" __global__ void copy(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" __global__ void scale(float a, float* y, long long n) {
  const long long i = blockIdx.x * 128ll + threadIdx.x;
  if (i < n) y[i] *= a;
}
)";

const char kHostCode[] = R"(
#include <cstdint>
template <int kBlock>
__global__ void Scale(const float* x, float a, float* y, int64_t n) {
  const int64_t i = blockIdx.x * int64_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
extern "C" void run(const float* x, float a, float* y, int64_t n,
                    cudaStream_t s) {
  Scale<256><<<(n + 255) / 256, 256, 0, s>>>(x, a, y, n);
}
)";

Task TwoKernelTask() {
  Task task;
  task.definition.name = "cuda_two_kernels";
  task.definition.axes = {{"N", std::nullopt, std::nullopt}};
  task.definition.inputs = {Tensor("x", {"N"}), Scalar("a")};
  task.definition.outputs = {Tensor("y", {"N"})};
  task.workloads = {MakeWorkload("large", {{"N", 1 << 24}})};
  task.root = MakeSolution("run", kTwoKernels);
  task.oracle = MakeSolution("oracle", R"(
//@ launch oracle<<<ceil_div(N, 256), 256>>>(x, a, y, y_m, N)
extern "C" __global__ void oracle(const float* x, float a, double* y,
                                  double* y_m, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n) return;
  y[i] = double(a) * double(x[i]);
  y_m[i] = fabs(y[i]);
}
)");
  task.root.language = task.oracle.language = Language::kCuda;
  return task;
}

class CudaProfileTest : public ::testing::Test {
 protected:
  // The one workload's; its evaluation's digest is in `digest_`.
  Profile Observe(const std::string& source, Tier tier) {
    CudaEvaluatorOptions options;
    options.cache_directory = "cuda-test-cache";
    options.runner = COPPICE_CUDA_RUNNER;
    options.nvrtc = COPPICE_NVRTC;
    options.call_timeout_s = 2.0;
    auto evaluator = MakeCudaEvaluator(options);
    EXPECT_TRUE(evaluator) << evaluator.error().what;
    if (!evaluator) return {};
    auto judged =
        (*evaluator)
            ->Evaluate(TwoKernelTask(), {Language::kCuda, source, "run"}, tier);
    EXPECT_TRUE(judged) << judged.error().what;
    if (!judged) return {};
    EXPECT_EQ(Name(judged->verdict), "passed") << judged->log;
    digest_ = judged->profile;
    return judged->workloads.front().profile.value_or(Profile{});
  }

  void SetUp() override {
    if (!cuda::Nvml::Open()) GTEST_SKIP() << "skipped: no CUDA device";
  }

  std::string digest_;
};

// 8 blocks of 256 threads fill the 64 warps; 5 KiB each are far from 228 KiB.
void ExpectBothKernels(const Profile& profile) {
  ASSERT_EQ(profile.kernels.size(), 2u);
  EXPECT_EQ(profile.kernels[0].name, "copy");
  EXPECT_EQ(profile.kernels[1].name, "scale");
  double sum_s = 0.0;
  for (const KernelProfile& kernel : profile.kernels) {
    EXPECT_EQ(kernel.calls, 1);
    EXPECT_GT(kernel.registers.value_or(0), 0);
    EXPECT_GT(kernel.occupancy.value_or(0.0), 0.9);
    EXPECT_GT(kernel.total_s.value_or(0.0), 0.0);
    sum_s += kernel.total_s.value_or(0.0);
  }
  EXPECT_EQ(profile.kernels[0].shared_bytes, 4096);
  // What the events between launches cost, and another call's noise.
  EXPECT_NEAR(sum_s / profile.runtime_s, 1.0, 0.25);
}

TEST_F(CudaProfileTest, EventsTellTheLaunchesOfDeviceCodeApart) {
  const Profile profile = Observe(kTwoKernels, Tier::kFast);
  ExpectBothKernels(profile);
  EXPECT_THAT(digest_, HasSubstr("Memory bound at "));
  EXPECT_THAT(digest_, HasSubstr("Kernels: "));
}

TEST_F(CudaProfileTest, TheFullTierTimesDeviceCodeToo) {
  ExpectBothKernels(Observe(kTwoKernels, Tier::kFull));
}

TEST_F(CudaProfileTest, TheFullTierFindsTheKernelsOfHostCode) {
  const Profile profile = Observe(kHostCode, Tier::kFull);
  if (profile.kernels.empty()) {
    EXPECT_THAT(profile.note, HasSubstr("CUPTI"));
    GTEST_SKIP() << profile.note;
  }
  ASSERT_EQ(profile.kernels.size(), 1u);
  EXPECT_THAT(profile.kernels[0].name, AnyOf("Scale<256>", "Scale<(int)256>"));
  EXPECT_EQ(profile.kernels[0].calls, 1);
  // The time that host code itself takes counts, too.
  EXPECT_GT(profile.kernels[0].total_s.value_or(0.0), 0.0);
  EXPECT_LT(profile.kernels[0].total_s.value_or(0.0), 1.25 * profile.runtime_s);
}

}  // namespace
}  // namespace coppice::eval
