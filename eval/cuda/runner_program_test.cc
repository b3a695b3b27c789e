#include "eval/cuda/runner_program.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

TensorShape FloatRow(std::int64_t count) {
  return {.name = "x",
          .dtype = DType::kFloat32,
          .scalar = false,
          .dims = {count},
          .elements = static_cast<std::size_t>(count)};
}

// 1000 floats are 4000 bytes; up to a multiple of 256, 4096.
TEST(RunnerProgramTest, TensorsEndWithTheirPages) {
  const DeviceTensor tensor = Place(FloatRow(1000));
  EXPECT_EQ(tensor.bytes, 4000u);
  EXPECT_EQ(tensor.pages_bytes, 2u << 20);
  EXPECT_EQ(tensor.offset, (2u << 20) - 4096);
  EXPECT_EQ(Place(FloatRow(1 << 19)).offset, 0u);  // 2 MiB exactly.
}

TEST(RunnerProgramTest, AnEntryIsCalledInOrderOfTheDefinition) {
  Shapes shapes;
  shapes.inputs = {FloatRow(4), FloatRow(4)};
  shapes.outputs = {FloatRow(4)};
  shapes.varying_axes = {4, 9};
  const RunnerProgram call = CallEntry("/k.so", "run", shapes);
  const std::vector<std::pair<ArgumentKind, std::int64_t>> expected = {
      {ArgumentKind::kInput, 0},  {ArgumentKind::kInput, 1},
      {ArgumentKind::kOutput, 0}, {ArgumentKind::kInt64, 4},
      {ArgumentKind::kInt64, 9},  {ArgumentKind::kStream, 0}};
  ASSERT_EQ(call.arguments.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(call.arguments[i].kind, expected[i].first);
    EXPECT_EQ(call.arguments[i].value, expected[i].second);
  }
}

TEST(RunnerProgramTest, TheControlHoldsWhatTheRunnerNeeds) {
  Shapes shapes;
  shapes.inputs = {FloatRow(4)};
  shapes.outputs = {FloatRow(4)};
  RunnerProgram runner_program = CallEntry("/k.so", "run", shapes);
  runner_program.scratch_bytes = {12};
  const auto memory = WriteControl(runner_program, shapes, 2);
  ASSERT_TRUE(memory);
  const auto& control = *reinterpret_cast<const Control*>(memory->data());
  EXPECT_EQ(control.version, kProtocolVersion);
  EXPECT_EQ(control.part, Part::kSharedObject);
  EXPECT_EQ(control.inputs, 1u);
  EXPECT_EQ(control.sets, 2u);
  EXPECT_EQ(control.scratch_bytes[0], 12u);
  EXPECT_STREQ(control.entry.data(), "run");
  EXPECT_EQ(control.entry_arguments, 3u);
}

TEST(RunnerProgramTest, RefusesWhatDoesNotFit) {
  Shapes shapes;
  shapes.inputs.assign(kMaxTensors + 1, FloatRow(4));
  const auto memory = WriteControl({}, shapes, 2);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, Errc::kUsage);
}

TEST(RunnerProgramTest, PlacesHaveTheirTypeAndKind) {
  TensorShape half = FloatRow(3);
  half.dtype = DType::kFloat16;
  const DeviceTensor tensor = Place(half);
  EXPECT_EQ(tensor.bytes, 6u);
  EXPECT_EQ(tensor.elements, 3u);
  EXPECT_EQ(tensor.offset, (2u << 20) - 256);
  EXPECT_EQ(tensor.dtype, static_cast<std::uint32_t>(DType::kFloat16));
  EXPECT_EQ(tensor.scalar, 0u);
  TensorShape scalar = FloatRow(1);
  scalar.scalar = true;
  EXPECT_EQ(Place(scalar).scalar, 1u);
  // One byte more than 2 MiB.
  TensorShape bytes = FloatRow((2 << 20) + 1);
  bytes.dtype = DType::kInt8;
  EXPECT_EQ(Place(bytes).pages_bytes, 4u << 20);
}

TEST(RunnerProgramTest, EachLimitOfTheProtocolHolds) {
  const auto fits = [](const RunnerProgram& runner_program,
                       const Shapes& shapes) {
    return WriteControl(runner_program, shapes, 1).has_value();
  };
  Shapes shapes;
  shapes.inputs.assign(kMaxTensors, FloatRow(4));
  shapes.outputs.assign(kMaxTensors, FloatRow(4));
  RunnerProgram runner_program;
  runner_program.scratch_bytes.assign(kMaxTensors, 4);
  runner_program.launches.resize(kMaxLaunches);
  runner_program.arguments.resize(kMaxArguments);
  EXPECT_TRUE(fits(runner_program, shapes));
  Shapes more = shapes;
  more.outputs.push_back(FloatRow(4));
  EXPECT_FALSE(fits(runner_program, more));
  for (const int limit : {0, 1, 2}) {
    RunnerProgram large = runner_program;
    if (limit == 0) large.scratch_bytes.push_back(4);
    if (limit == 1) large.launches.emplace_back();
    if (limit == 2) large.arguments.emplace_back();
    EXPECT_FALSE(fits(large, shapes)) << limit;
  }
}

}  // namespace
}  // namespace coppice::eval::cuda
