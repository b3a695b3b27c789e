#include "eval/cpu/call_plan.h"

#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

// x: 1000 floats, 4000 bytes; n: 3 int32; s: a scalar; y: 1024 floats.
Shapes Example() {
  Shapes shapes;
  shapes.inputs = {{"x", DType::kFloat32, false, {1000}, 1000},
                   {"n", DType::kInt32, false, {3}, 3},
                   {"s", DType::kFloat32, true, {}, 1}};
  shapes.outputs = {{"y", DType::kFloat32, false, {1024}, 1024}};
  shapes.varying_axes = {1000, 1024};
  return shapes;
}

// Guard at 0; x in the page at 4096; guard; n in the page at 12288; guard; s at
// 20480; guard until 28672 = 4096 + stride.  4000 rounds up to 4032 = 63 * 64,
// so x begins at 4096 + 4096 - 4032 = 4160; n (12 bytes: 64) and s end
// likewise.
TEST(CallPlanTest, EachTensorEndsAtAGuardPage) {
  auto plan = PlanCall(Example(), Precision::kKernel);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->inputs[0].offset, 4160u);
  EXPECT_EQ(plan->inputs[0].bytes, 4000u);
  EXPECT_EQ(plan->inputs[1].offset, 12288u + 4096 - 64);
  EXPECT_EQ(plan->inputs[2].offset, 20480u + 4096 - 64);
  EXPECT_EQ(plan->input_stride, 3u * 8192);
  EXPECT_EQ(plan->outputs[0].offset, 4096u);  // Fills its page.
  EXPECT_EQ(plan->output_stride, 8192u);
  EXPECT_EQ(FileBytes(plan->output_stride, 3), 4096u + 3 * 8192);
}

TEST(CallPlanTest, ArgumentsFollowTheAbi) {
  auto plan = PlanCall(Example(), Precision::kKernel);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->arguments.size(), 6u);
  EXPECT_EQ(plan->arguments[0].kind, ArgumentKind::kInputTensor);
  EXPECT_EQ(plan->arguments[2].kind, ArgumentKind::kInputScalar);
  EXPECT_EQ(plan->arguments[2].type, ScalarType::kFloat32);
  EXPECT_EQ(plan->arguments[3].kind, ArgumentKind::kOutputTensor);
  EXPECT_EQ(plan->arguments[4].kind, ArgumentKind::kAxis);
  EXPECT_EQ(plan->arguments[4].value, 1000u);
  EXPECT_EQ(plan->arguments[5].value, 1024u);
}

TEST(CallPlanTest, AnOracleIsWideAndHasMagnitudes) {
  auto plan = PlanCall(Example(), Precision::kOracle);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->inputs[0].bytes, 8000u);
  EXPECT_EQ(plan->inputs[1].bytes, 24u);
  EXPECT_EQ(plan->arguments[2].type, ScalarType::kFloat64);
  ASSERT_EQ(plan->outputs.size(), 2u);  // y, then its magnitudes.
  EXPECT_EQ(plan->outputs[0].bytes, 8192u);
  EXPECT_EQ(plan->outputs[1].bytes, 8192u);
  EXPECT_EQ(plan->arguments.size(), 7u);
}

TEST(CallPlanTest, RefusesMoreArgumentsThanTheRunnerTakes) {
  Shapes shapes = Example();
  shapes.varying_axes.resize(kMaxArguments);
  auto plan = PlanCall(shapes, Precision::kKernel);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::eval
