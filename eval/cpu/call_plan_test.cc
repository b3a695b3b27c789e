#include "eval/cpu/call_plan.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

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
  EXPECT_EQ(plan->arguments[0].kind, CpuArgumentKind::kInputTensor);
  EXPECT_EQ(plan->arguments[2].kind, CpuArgumentKind::kInputScalar);
  EXPECT_EQ(plan->arguments[2].type, ElementType::kFloat32);
  EXPECT_EQ(plan->arguments[3].kind, CpuArgumentKind::kOutputTensor);
  EXPECT_EQ(plan->arguments[4].kind, CpuArgumentKind::kAxis);
  EXPECT_EQ(plan->arguments[4].value, 1000u);
  EXPECT_EQ(plan->arguments[5].value, 1024u);
}

TEST(CallPlanTest, AnOracleIsWideAndHasMagnitudes) {
  auto plan = PlanCall(Example(), Precision::kOracle);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->inputs[0].bytes, 8000u);
  EXPECT_EQ(plan->inputs[1].bytes, 24u);
  EXPECT_EQ(plan->arguments[2].type, ElementType::kFloat64);
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

// Each tensor has 70 elements, and its place ends with the multiple of 64 bytes
// that holds them.
TEST(CallPlanTest, ElementsHaveTheBytesOfTheirType) {
  for (const auto& [dtype, bytes] : {std::pair(DType::kInt64, 560u),
                                     {DType::kFloat32, 280u},
                                     {DType::kInt32, 280u},
                                     {DType::kFloat16, 140u},
                                     {DType::kBFloat16, 140u},
                                     {DType::kInt16, 140u},
                                     {DType::kInt8, 70u},
                                     {DType::kBool, 70u}}) {
    Shapes shapes;
    shapes.inputs = {{"x", dtype, false, {70}, 70}};
    shapes.outputs = {{"y", dtype, false, {70}, 70}};
    const auto plan = PlanCall(shapes, Precision::kKernel);
    ASSERT_TRUE(plan);
    for (const TensorPlace& place : {plan->inputs[0], plan->outputs[0]}) {
      EXPECT_EQ(place.bytes, bytes);
      EXPECT_EQ(place.pages.offset, 4096u);
      EXPECT_EQ(place.pages.bytes, 4096u);
      EXPECT_EQ(place.offset, 8192u - (bytes + 63u) / 64u * 64u);
    }
    const auto oracle = PlanCall(shapes, Precision::kOracle);
    ASSERT_TRUE(oracle);
    EXPECT_EQ(oracle->inputs[0].bytes, 560u);
    EXPECT_EQ(oracle->outputs[1].bytes, 560u);
  }
}

TEST(CallPlanTest, ScalarsHaveTheirTypesAndOraclesTheWideOnes) {
  using enum ElementType;
  const auto type = [](DType dtype, Precision precision) {
    Shapes shapes;
    shapes.inputs = {{"s", dtype, true, {}, 1}};
    return PlanCall(shapes, precision)->arguments[0].type;
  };
  for (const auto& [dtype, narrow, wide] :
       {std::tuple(DType::kFloat32, kFloat32, kFloat64),
        {DType::kInt64, kInt64, kInt64},
        {DType::kInt32, kInt32, kInt64},
        {DType::kInt16, kInt16, kInt64},
        {DType::kInt8, kInt8, kInt64},
        {DType::kBool, kBool, kInt64}}) {
    EXPECT_EQ(type(dtype, Precision::kKernel), narrow);
    EXPECT_EQ(type(dtype, Precision::kOracle), wide);
  }
}

// y, z and then what belongs to y and to z.
TEST(CallPlanTest, MagnitudesFollowAllOutputs) {
  Shapes shapes;
  shapes.outputs = {{"y", DType::kFloat32, false, {1024}, 1024},
                    {"z", DType::kFloat32, false, {512}, 512}};
  const auto plan = PlanCall(shapes, Precision::kOracle);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->outputs.size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(plan->outputs[i].bytes, 8192u);
    EXPECT_EQ(plan->outputs[i + 1].bytes, 4096u);
  }
  EXPECT_EQ(plan->input_stride, 0u);
  // Each with a guard behind it: 2 + 1 + 1 + 1 pages, twice.
  EXPECT_EQ(plan->output_stride, 10u * 4096u);
}

// 128 in all: of a kernel 3 inputs, an output and 124 axes.
TEST(CallPlanTest, TakesAsManyArgumentsAsTheRunner) {
  Shapes shapes = Example();
  shapes.varying_axes.resize(kMaxArguments - 4);
  EXPECT_TRUE(PlanCall(shapes, Precision::kKernel));
  EXPECT_FALSE(PlanCall(shapes, Precision::kOracle));  // And magnitudes.
  shapes.varying_axes.resize(kMaxArguments - 5);
  EXPECT_TRUE(PlanCall(shapes, Precision::kOracle));
}

}  // namespace
}  // namespace coppice::eval
