#include "eval/torch/kernel_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace coppice::eval::torch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kFloat64Kind = 11;  // As worker.py numbers types.
constexpr std::uint32_t kUnsupportedKind = 15;

TensorEntry Entry(DType dtype, std::uint64_t bytes,
                  std::vector<std::int64_t> sizes) {
  TensorEntry entry{.address = 0,
                    .bytes = bytes,
                    .dtype = static_cast<std::uint32_t>(dtype),
                    .rank = static_cast<std::uint32_t>(sizes.size()),
                    .sizes = {}};
  std::ranges::copy(sizes, entry.sizes.begin());
  return entry;
}

std::vector<std::int64_t> SizesOf(const TensorEntry& entry) {
  return ShapesOf({entry}).at(0).sizes;
}

TEST(KernelWorkerTest, ATensorHasTheBytesOfItsElements) {
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 24, {2, 3})), ElementsAre(2, 3));
  EXPECT_THAT(SizesOf(Entry(DType::kFloat16, 12, {2, 3})), ElementsAre(2, 3));
  EXPECT_THAT(SizesOf(Entry(DType::kFloat8E4M3FN, 6, {6})), ElementsAre(6));
  EXPECT_THAT(SizesOf(Entry(DType::kInt64, 0, {0, 7})), ElementsAre(0, 7));
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 20, {2, 3})), IsEmpty());
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 4, {0})), IsEmpty());
}

// A tensor of no dimensions has one element.
TEST(KernelWorkerTest, ATensorMayHaveNoDimensions) {
  const Returned one = ShapesOf({Entry(DType::kInt32, 4, {})}).at(0);
  EXPECT_EQ(one.dtype, DType::kInt32);
  EXPECT_THAT(one.sizes, IsEmpty());
}

TEST(KernelWorkerTest, MoreThanAnyMachineHasIsNoTensor) {
  constexpr std::int64_t kTera = std::int64_t{1} << 40;
  EXPECT_THAT(SizesOf(Entry(DType::kInt8, kTera, {kTera})), ElementsAre(kTera));
  EXPECT_THAT(SizesOf(Entry(DType::kInt8, kTera + 1, {kTera + 1})), IsEmpty());
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 4, {-1, -1})), IsEmpty());
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 0,
                            {std::numeric_limits<std::int64_t>::min()})),
              IsEmpty());
}

// 4 * 2^38 * 2^24 is 2^66, of which 64 bits are 0.
TEST(KernelWorkerTest, NoProductOfSizesComesRoundTo0) {
  EXPECT_THAT(SizesOf(Entry(DType::kFloat32, 0,
                            {std::int64_t{1} << 38, std::int64_t{1} << 24})),
              IsEmpty());
}

TEST(KernelWorkerTest, ATensorHasNoMoreThan8Dimensions) {
  TensorEntry entry = Entry(DType::kFloat32, 4, {1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(SizesOf(entry).size(), 8U);
  entry.rank = 9;
  EXPECT_THAT(SizesOf(entry), IsEmpty());
  entry.rank = kScalarRank;  // A number is no output.
  EXPECT_THAT(SizesOf(entry), IsEmpty());
}

// It has its name, for a complaint, and its sizes, but no bytes of ours.
TEST(KernelWorkerTest, ATensorOfAnotherTypeIsNamed) {
  TensorEntry entry = Entry(DType::kFloat32, 0, {2});
  entry.dtype = kFloat64Kind;
  const Returned other = ShapesOf({entry}).at(0);
  EXPECT_EQ(TypeOf(other), "float64");
  EXPECT_THAT(other.sizes, ElementsAre(2));
  entry.dtype = kUnsupportedKind;
  EXPECT_EQ(TypeOf(ShapesOf({entry}).at(0)), "unsupported");
  entry.dtype = kUnsupportedKind + 1;
  EXPECT_THAT(ShapesOf({entry}).at(0).other_type, IsEmpty());
  entry.dtype = kFloat64Kind;
  entry.bytes = 16;  // Which nobody can read.
  EXPECT_THAT(ShapesOf({entry}).at(0).other_type, IsEmpty());
}

// One that is none does not move those behind it.
TEST(KernelWorkerTest, EveryTensorKeepsItsPlace) {
  const auto shapes =
      ShapesOf({Entry(DType::kFloat32, 5, {1}), Entry(DType::kBool, 3, {3})});
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_THAT(shapes[0].sizes, IsEmpty());
  EXPECT_EQ(TypeOf(shapes[1]), "bool");
  EXPECT_THAT(ShapesOf({}), IsEmpty());
}

TEST(KernelWorkerTest, TypesHaveTorchsNamesAndSizes) {
  const auto name = [](DType dtype) {
    return TypeOf({.dtype = dtype, .sizes = {}, .bytes = {}});
  };
  EXPECT_EQ(name(DType::kFloat32), "float32");
  EXPECT_EQ(name(DType::kBFloat16), "bfloat16");
  EXPECT_EQ(name(DType::kFloat8E5M2), "float8_e5m2");
  EXPECT_EQ(name(DType::kFloat4E2M1), "float4_e2m1");
  EXPECT_EQ(name(DType::kInt16), "int16");
  EXPECT_EQ(name(DType::kBool), "bool");
  EXPECT_EQ(BytesPerElement(DType::kInt64), 8U);
  EXPECT_EQ(BytesPerElement(DType::kFloat32), 4U);
  EXPECT_EQ(BytesPerElement(DType::kBFloat16), 2U);
  EXPECT_EQ(BytesPerElement(DType::kFloat8E5M2), 1U);
  EXPECT_EQ(BytesPerElement(DType::kFloat4E2M1), 1U);
  EXPECT_EQ(BytesPerElement(DType::kBool), 1U);
}

}  // namespace
}  // namespace coppice::eval::torch
