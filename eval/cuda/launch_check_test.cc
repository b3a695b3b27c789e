#include "eval/cuda/launch_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eval/cuda/launch_plan.h"
#include "eval/formats/test_tasks.h"

namespace coppice::eval::cuda {
namespace {

// x[N] and a scalar s into y[N], with N = 1000.
std::string CheckOne(const std::string& plan,
                     const std::vector<KernelFacts>& kernels) {
  Definition definition;
  definition.name = "example";
  definition.axes = {{"N", std::nullopt, std::nullopt}};
  definition.inputs = {eval::Tensor("x", {"N"}), Scalar("s", DType::kFloat32)};
  definition.outputs = {eval::Tensor("y", {"N"})};
  const Workload workload = MakeWorkload("w", {{"N", 1000}});
  const auto shapes = Resolve(definition, workload);
  const EvaluatedPlan evaluated = EvaluateLaunchPlan(
      "//@ " + plan + "\n", definition, workload, PlanSide::kKernel);
  EXPECT_EQ(evaluated.error, "");
  return CheckLaunches(evaluated.runner_program, *shapes, kernels);
}

KernelFacts MakeKernel(const std::string& name,
                       std::vector<std::uint32_t> parameters) {
  return {.name = name,
          .registers = 32,
          .shared_bytes = 0,
          .local_bytes = 0,
          .max_threads = 1024,
          .parameters = std::move(parameters)};
}

TEST(LaunchCheckTest, AcceptsWhatFits) {
  EXPECT_EQ(CheckOne("launch k<<<4, 256>>>(x, s, y, N, int32(N))",
                     {MakeKernel("k", {8, 4, 8, 8, 4})}),
            "");
  EXPECT_EQ(CheckOne("launch k<<<4, 256>>>()", {MakeKernel("k", {})}), "");
}

TEST(LaunchCheckTest, NamesTheKernelsThereAre) {
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>()",
                     {MakeKernel("_Z1kv", {}), MakeKernel("other", {})}),
            "kernel.cu: launch plan: no kernel k; there are: _Z1kv, other (a "
            "kernel must be extern \"C\" __global__)\n");
  EXPECT_NE(CheckOne("launch k<<<1, 1>>>()", {}).find("there are: none"),
            std::string::npos);
}

TEST(LaunchCheckTest, ComparesParametersWithArguments) {
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>(x)", {MakeKernel("k", {8, 8})}),
            "kernel.cu: launch plan: kernel k takes 2 parameters, the launch "
            "gives 1\n");
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>(x, N)", {MakeKernel("k", {8, 4})}),
            "kernel.cu: launch plan: kernel k takes 4 bytes as parameter 2, "
            "the launch gives 8: pass an int as int32(...)\n");
  // A structure, and a double where the scalar is a float.
  EXPECT_NE(CheckOne("launch k<<<1, 1>>>(x)", {MakeKernel("k", {20})}), "");
  EXPECT_NE(CheckOne("launch k<<<1, 1>>>(s)", {MakeKernel("k", {8})}), "");
}

TEST(LaunchCheckTest, HoldsABlockToTheKernelsBounds) {
  KernelFacts kernel = MakeKernel("k", {});
  kernel.max_threads = 128;
  EXPECT_EQ(CheckOne("launch k<<<1, 128>>>()", {kernel}), "");
  EXPECT_NE(CheckOne("launch k<<<1, (128, 2)>>>()", {kernel}), "");
}

// 65536 registers are 64 for each of 1024 threads, and are dealt by eights to
// whole warps: 65 cost 72, of which 896 threads can have as many (64512), 897
// cannot (928 * 72 = 66816).
TEST(LaunchCheckTest, CountsRegistersAsTheDeviceDealsThem) {
  KernelFacts kernel = MakeKernel("k", {});
  kernel.registers = 64;
  EXPECT_EQ(CheckOne("launch k<<<1, 1024>>>()", {kernel}), "");
  kernel.registers = 65;
  EXPECT_EQ(CheckOne("launch k<<<1, 896>>>()", {kernel}), "");
  EXPECT_EQ(CheckOne("launch k<<<1, 897>>>()", {kernel}),
            "kernel.cu: launch plan: kernel k needs 65 registers per thread, "
            "too many for a block of 897 threads: bound it with "
            "__launch_bounds__(897)\n");
}

TEST(LaunchCheckTest, AddsStaticToDynamicSharedMemory) {
  KernelFacts kernel = MakeKernel("k", {});
  kernel.shared_bytes = 1024;
  EXPECT_EQ(CheckOne("launch k<<<1, 1, 226 * 1024>>>()", {kernel}), "");
  EXPECT_NE(CheckOne("launch k<<<1, 1, 227 * 1024>>>()", {kernel}), "");
}

// A double is 8 bytes, an int16 two: what a parameter of that type takes.
TEST(LaunchCheckTest, AScalarHasTheBytesOfItsType) {
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>(s, y)", {MakeKernel("k", {4, 8})}),
            "");
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>(y, s)", {MakeKernel("k", {8, 8})}),
            "kernel.cu: launch plan: kernel k takes 8 bytes as parameter 2, "
            "the launch gives 4\n");
}

TEST(LaunchCheckTest, OfManyKernelsSixteenAreNamed) {
  std::vector<KernelFacts> kernels;
  for (int i = 0; i < 16; ++i) {
    kernels.push_back(MakeKernel("f" + std::to_string(i), {}));
  }
  EXPECT_NE(CheckOne("launch k<<<1, 1>>>()", kernels).find("f14, f15 (a"),
            std::string::npos);
  kernels.push_back(MakeKernel("f16", {}));
  EXPECT_NE(CheckOne("launch k<<<1, 1>>>()", kernels).find("f15, ... (a"),
            std::string::npos);
}

// The first is right; the second is not there.
TEST(LaunchCheckTest, EveryLaunchIsLookedAt) {
  EXPECT_EQ(CheckOne("launch k<<<1, 1>>>()\n//@ launch l<<<1, 1>>>()",
                     {MakeKernel("k", {})})
                .find("kernel.cu: launch plan: no kernel l; there are: k"),
            0u);
}

}  // namespace
}  // namespace coppice::eval::cuda
