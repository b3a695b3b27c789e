#include "eval/cuda/host_clock.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kLarge = 140'000 * kMiB;

TensorShape FloatTensor(std::size_t elements) {
  TensorShape shape;
  shape.elements = elements;
  return shape;
}

Shapes OneToOne(std::size_t inputs, std::size_t outputs) {
  Shapes shapes;
  shapes.inputs = {FloatTensor(inputs)};
  shapes.outputs = {FloatTensor(outputs)};
  return shapes;
}

TEST(BatchSizeTest, SmallTensorsGiveTheMostThatTheProtocolTakes) {
  EXPECT_EQ(BatchSize(OneToOne(1000, 1000), 1e-4, kLarge), kMaxSets);
}

// 6 GiB of 2 * 64 MiB for the inputs, as much for the outputs, and 16 bytes for
// each of 2^24 expected elements: 512 MiB in all.
TEST(BatchSizeTest, LargeTensorsFillTheMemoryThatIsForThem) {
  EXPECT_EQ(BatchSize(OneToOne(1 << 24, 1 << 24), 1e-4, kLarge), 12u);
  // A twelfth of 30 GiB is less than 6 GiB.
  EXPECT_EQ(BatchSize(OneToOne(1 << 24, 1 << 24), 1e-4, 30 * 1024 * kMiB), 5u);
}

// Four inputs and two outputs, each with its copy: 8 of 240 descriptors.
TEST(BatchSizeTest, AllTensorsFitIntoOneMessage) {
  Shapes shapes;
  shapes.inputs.assign(4, FloatTensor(10));
  shapes.outputs.assign(2, FloatTensor(10));
  EXPECT_EQ(BatchSize(shapes, 1e-4, kLarge), 30u);
  TensorShape scalar = FloatTensor(1);
  scalar.scalar = true;  // Needs none.
  shapes.inputs.push_back(scalar);
  EXPECT_EQ(BatchSize(shapes, 1e-4, kLarge), 30u);
}

// 40 ms at 2 ms a data set.
TEST(BatchSizeTest, ASlowOracleMakesThemFewer) {
  EXPECT_EQ(BatchSize(OneToOne(10, 10), 2e-3, kLarge), 20u);
}

TEST(BatchSizeTest, FewAreEnoughWhateverTheyCost) {
  EXPECT_EQ(BatchSize(OneToOne(10, 10), 1.0, kLarge), 4u);
  EXPECT_EQ(BatchSize(OneToOne(1 << 28, 1 << 28), 1e-3, kLarge), 4u);
}

// 1 % and 0.2 us: 10.3 us where events tell of 10, and 1.0102 ms of 1.
TEST(HostClockTest, AsMuchAsTwoClocksDifferByDoesNotExceed) {
  EXPECT_TRUE(Exceeds(10.4e-6, 10e-6));
  EXPECT_FALSE(Exceeds(10.2e-6, 10e-6));
  EXPECT_FALSE(Exceeds(1.009e-3, 1e-3));
  EXPECT_TRUE(Exceeds(1.011e-3, 1e-3));
  EXPECT_FALSE(Exceeds(-1e-6, 10e-6));
}

// 1.01 times and 0.2 us, at the edge: of 100 us 101.2 are borne.
TEST(HostClockTest, AHundredthAndAFifthOfAMicrosecondAreBearable) {
  EXPECT_FALSE(Exceeds(0.10119e-3, 0.1e-3));
  EXPECT_TRUE(Exceeds(0.10121e-3, 0.1e-3));
  EXPECT_FALSE(Exceeds(0.199e-6, 0.0));
  EXPECT_TRUE(Exceeds(0.201e-6, 0.0));
}

// Where a batch had 2 ms beside its calls, 5 ms are somebody's doing.
TEST(HostClockTest, WhatIsBesideTheCallsGrowsByATenthAtMost) {
  EXPECT_DOUBLE_EQ(Believed(1.9e-3, 2e-3), 1.9e-3);
  EXPECT_DOUBLE_EQ(Believed(2.1e-3, 2e-3), 2.1e-3);
  EXPECT_DOUBLE_EQ(Believed(5e-3, 2e-3), 2.2e-3);
}

// Nothing is shared where all that there is are scalars; and an oracle that
// takes no time is no reason to divide by it.
TEST(BatchSizeTest, WithoutTensorsTheProtocolIsTheLimit) {
  Shapes shapes;
  TensorShape scalar = FloatTensor(1);
  scalar.scalar = true;
  shapes.inputs = {scalar};
  EXPECT_EQ(BatchSize(shapes, 0.0, kLarge), kMaxSets);
}

}  // namespace
}  // namespace coppice::eval::cuda
