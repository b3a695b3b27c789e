#include "agents/catalogue/cuda/device_moves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "agents/catalogue/agent/plan_agent.h"
#include "agents/catalogue/cuda/device_rewriting.h"

namespace coppice::agents::catalogue::cuda {
namespace {

Setting SizesOf(Constants sizes) {
  Setting setting;
  setting.sizes = {std::move(sizes)};
  return setting;
}

const Move* Find(const std::vector<Move>& moves, const std::string& label) {
  const auto found =
      std::find_if(moves.begin(), moves.end(),
                   [&](const Move& move) { return move.label == label; });
  return found == moves.end() ? nullptr : &*found;
}

// 4 x 2 blocks of 16 x 16 threads, each 1 + 100 steps for its loop's trips
// and itself: the loop's body counts 1.
TEST(DeviceMovesTest, WorkIsThreadsTimesSteps) {
  const auto source = ParseDeviceSource(kGemm);
  const Setting setting = SizesOf({{"M", 32}, {"N", 64}, {"K", 100}});
  EXPECT_EQ(BlocksOf(source->launches[0], setting), 8.0);
  EXPECT_EQ(WorkOf(source->kernels[0], source->launches[0], setting),
            8.0 * 256.0 * (1.0 + 100.0));
}

TEST(DeviceMovesTest, AConstantAxisCountsToo) {
  const auto source = ParseDeviceSource(
      "//@ launch f<<<ceil_div(N * H, 32), 32>>>(x)\n"
      "extern \"C\" __global__ void f(float* x) {}\n");
  Setting setting = SizesOf({{"N", 64}});
  EXPECT_EQ(BlocksOf(source->launches[0], setting), 0.0);  // Not known.
  setting.constants = {{"H", 8}};
  EXPECT_EQ(BlocksOf(source->launches[0], setting), 16.0);
}

TEST(DeviceMovesTest, EachKindOfKernelGetsItsOwn) {
  const Setting setting =
      SizesOf({{"M", 2048}, {"N", 2048}, {"K", 512}, {"R", 4096}, {"C", 1024}});
  const auto gemm = SuggestDeviceMoves(kGemm, setting);
  EXPECT_NE(Find(gemm, "tile(gemm, 64, 64, 16, 4, 4)"), nullptr);
  EXPECT_EQ(Find(gemm, "tensor(gemm, 64, 64)"), nullptr);  // float32.
  EXPECT_EQ(Find(gemm, "wgmma(gemm, 128, 128, 4)"), nullptr);
  std::string narrow = kGemm;
  narrow.replace(narrow.find("A[i * K + k] * B[k * N + j]"), 27,
                 "__half2float(A[i * K + k]) * __half2float(B[k * N + j])");
  const auto half = SuggestDeviceMoves(narrow, setting);
  const Move* mma = Find(half, "mma(gemm, 128, 128, 32, 64, 32, 4)");
  ASSERT_NE(mma, nullptr);
  ASSERT_NE(Find(half, "wgmma(gemm, 128, 128, 4)"), nullptr);
  EXPECT_GT(Find(half, "wgmma(gemm, 128, 128, 4)")->score, mma->score);
  EXPECT_GT(mma->score, Find(half, "tensor(gemm, 64, 64, wide)")->score);
  EXPECT_EQ(Find(gemm, "rows(gemm, 32)"), nullptr);
  const auto softmax = SuggestDeviceMoves(kSoftmax, setting);
  const Move* rows = Find(softmax, "rows(softmax, 32)");
  ASSERT_NE(rows, nullptr);
  EXPECT_GT(rows->score, Find(softmax, "unroll(softmax, j, 4)")->score);
  EXPECT_EQ(rows->span, (Lines{1, 19}));
  EXPECT_EQ(rows->why,
            "the kernel `softmax` does about 100 % of the work, and "
            "neighbouring threads read rows far apart");
  const auto relu = SuggestDeviceMoves(kRelu, setting);
  EXPECT_NE(Find(relu, "vector(relu, 4)"), nullptr);
  EXPECT_EQ(Find(relu, "rows(relu, 32)"), nullptr);
}

// What is launched by numbers that are to be tuned is known to do the work.
TEST(DeviceMovesTest, ATunedSourceGetsMovesToo) {
  const std::string tuned =
      "//@ launch relu<<<ceil_div(N, BLOCK), BLOCK>>>(x, y, int32(N))\n"
      "constexpr int BLOCK = 128;  //@ tune 64 128 256\n" +
      std::string(kRelu).substr(std::string(kRelu).find("extern"));
  EXPECT_NE(Find(SuggestDeviceMoves(tuned, SizesOf({{"N", 1 << 20}})),
                 "restrict(relu)"),
            nullptr);
}

// 16 blocks of 128 x 128 are fewer than there are multiprocessors.
TEST(DeviceMovesTest, TilesThatLeaveMultiprocessorsIdleCountLess) {
  const auto moves =
      SuggestDeviceMoves(kGemm, SizesOf({{"M", 512}, {"N", 512}, {"K", 512}}));
  EXPECT_LT(Find(moves, "tile(gemm, 128, 128, 8, 8, 8)")->score,
            Find(moves, "tile(gemm, 32, 32, 32, 2, 2)")->score);
}

TEST(DeviceMovesTest, WhatCannotBeReadGetsNone) {
  EXPECT_TRUE(SuggestDeviceMoves("", {}).empty());
  EXPECT_TRUE(SuggestDeviceMoves("//@ launch f<<<1, 1>>>(x)\n", {}).empty());
  EXPECT_FALSE(WholeDeviceSpan("//@ launch f<<<1, 1>>>(x)\n"));
}

// The agents as the engine calls them: a plan that marks the launch and the
// kernel, and a source that differs.
TEST(DeviceMovesTest, ThePlanAgentPlansOnADeviceSource) {
  Task task;
  task.definition.name = "cuda_relu";
  task.workloads.push_back({"w", {{"N", 1 << 20}}, {}});
  PromptContext context;
  context.task = &task;
  context.root.source = kRelu;
  context.root.verdict = Verdict::kPassed;
  context.selected = context.root;
  int plans = 0;
  for (context.decision = 0; context.decision < 8; ++context.decision) {
    const std::string answer = AnswerPlan(context);
    EXPECT_NE(answer.find("// <<<IMPROVE BEGIN>>>\n//@ launch relu"),
              std::string::npos)
        << answer;
    plans += answer.find("Technique: ") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(plans, 8);
}

}  // namespace
}  // namespace coppice::agents::catalogue::cuda
