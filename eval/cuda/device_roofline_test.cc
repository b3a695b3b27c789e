#include "eval/cuda/device_roofline.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

Shapes Of(DType dtype, std::size_t in, std::size_t out) {
  TensorShape read;
  read.dtype = dtype;
  read.elements = in;
  TensorShape written = read;
  written.elements = out;
  Shapes shapes;
  shapes.inputs = {read};
  shapes.outputs = {written};
  return shapes;
}

// An H100: 132 multiprocessors at 1.98 GHz.
Abilities H100() {
  Abilities abilities{};
  abilities.multiprocessors = 132;
  abilities.clock_hz = 1'980'000'000;
  abilities.fma_flops = 60'000'000'000'000;
  abilities.l2_bytes = 50'000'000;
  return abilities;
}

DeviceIdentity Capability(int major, int minor) {
  DeviceIdentity identity;
  identity.compute_major = major;
  identity.compute_minor = minor;
  return identity;
}

// 400 MB are read and 400 MB written, of which 50 MB may stay in the cache.
TEST(DeviceRooflineTest, OutputsMayStayInTheCache) {
  EXPECT_EQ(LeastBytes(Of(DType::kFloat32, 100'000'000, 100'000'000), H100()),
            750e6);
  EXPECT_EQ(LeastBytes(Of(DType::kFloat32, 100, 100), H100()), 400.0);
}

// 4096 * 132 * 1.98e9 = 1.0705e15.
TEST(DeviceRooflineTest, FewerBitsAreMultipliedFaster) {
  const auto peak = [](DType dtype) {
    return PeakFlops(Capability(9, 0), H100(), Of(dtype, 1, 1));
  };
  EXPECT_NEAR(peak(DType::kFloat16), 1.0705e15, 1e11);
  EXPECT_NEAR(peak(DType::kBFloat16), 1.0705e15, 1e11);
  EXPECT_NEAR(peak(DType::kFloat32), 0.53526e15, 1e11);
  EXPECT_NEAR(peak(DType::kFloat8E4M3FN), 2.1410e15, 1e11);
}

TEST(DeviceRooflineTest, WithoutTensorCoresItIsWhatWasMeasured) {
  EXPECT_EQ(PeakFlops(Capability(6, 1), H100(), Of(DType::kFloat16, 1, 1)),
            60e12);
}

TEST(DeviceRooflineTest, OfAnUnknownDeviceNothingIsSaid) {
  EXPECT_EQ(PeakFlops(Capability(12, 1), H100(), Of(DType::kFloat16, 1, 1)),
            0.0);
}

}  // namespace
}  // namespace coppice::eval::cuda
