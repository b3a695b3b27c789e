#include "eval/cuda/profiling.h"

#include <gtest/gtest.h>

#include "eval/cuda/cubin.h"

namespace coppice::eval::cuda {
namespace {

constexpr Multiprocessor kDevice = {2048, 32, 65536, 233472, 1024};

Launch LaunchOf(std::string_view kernel, std::array<std::uint32_t, 3> block,
                std::uint32_t shared_bytes = 0) {
  Launch launch{};
  kernel.copy(launch.kernel.data(), launch.kernel.size() - 1);
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  return launch;
}

KernelTime TimeOf(std::string_view name, std::uint64_t calls,
                  std::uint64_t total_ns) {
  KernelTime time{};
  name.copy(time.name.data(), time.name.size() - 1);
  time.calls = calls;
  time.total_ns = total_ns;
  return time;
}

KernelInventory InventoryOf(Tracer tracer,
                            const std::vector<KernelTime>& times) {
  KernelInventory inventory{};
  inventory.tracer = tracer;
  for (const KernelTime& time : times) {
    inventory.kernel[inventory.kernels++] = time;
  }
  return inventory;
}

// 96 registers: two blocks of 256 threads, a quarter of 64 warps.  2048 static
// bytes and 4096 dynamic ones.
TEST(ProfilingTest, APlanGivesEachKernelOnce) {
  const auto kernels = PlannedKernels(
      {LaunchOf("partial", {16, 16, 1}), LaunchOf("finish", {32, 1, 1}),
       LaunchOf("partial", {16, 16, 1}, 4096)},
      {{.name = "finish", .registers = 16, .parameters = {}},
       {.name = "partial",
        .registers = 96,
        .shared_bytes = 2048,
        .local_bytes = 8,
        .parameters = {}}},
      kDevice);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "partial");
  EXPECT_EQ(kernels[0].calls, 2);
  EXPECT_EQ(kernels[0].registers, 96);
  EXPECT_EQ(kernels[0].shared_bytes, 6144);
  EXPECT_EQ(kernels[0].local_bytes, 8);
  EXPECT_EQ(kernels[0].occupancy, 0.25);
  EXPECT_EQ(kernels[0].limit, ResidencyLimit::kRegisters);
  EXPECT_EQ(kernels[0].total_s, std::nullopt);
  EXPECT_EQ(kernels[1].name, "finish");
  EXPECT_EQ(kernels[1].occupancy, 0.5);
  EXPECT_EQ(kernels[1].limit, ResidencyLimit::kBlocks);
}

TEST(ProfilingTest, WhatNoCodeSaysIsNotKnown) {
  const auto kernels = PlannedKernels({LaunchOf("k", {32, 1, 1})}, {}, kDevice);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].registers, std::nullopt);
  EXPECT_EQ(kernels[0].occupancy, std::nullopt);
}

TEST(ProfilingTest, TimesGoToTheKernelsOfThePlan) {
  auto kernels = PlannedKernels(
      {LaunchOf("k", {32, 1, 1})},
      {{.name = "k", .registers = 16, .parameters = {}}}, kDevice);
  AddTimes(InventoryOf(Tracer::kEvents, {TimeOf("k", 3, 6000)}), kDevice,
           kernels);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].calls, 3);
  EXPECT_DOUBLE_EQ(kernels[0].total_s.value(), 6e-6);
  EXPECT_EQ(kernels[0].registers, 16);
}

TEST(ProfilingTest, CuptiTellsAllOfAKernelThatNoPlanNames) {
  KernelTime time = TimeOf("_Z7softmaxIfLi4EEvPKfPfi", 1, 500);
  time.registers = 40;
  time.static_shared_bytes = 1024;
  time.dynamic_shared_bytes = 3072;
  time.local_bytes = 16;
  time.block_threads = 256;
  std::vector<KernelProfile> kernels;
  AddTimes(InventoryOf(Tracer::kCupti, {time}), kDevice, kernels);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "softmax<float, 4>");
  EXPECT_EQ(kernels[0].registers, 40);
  EXPECT_EQ(kernels[0].shared_bytes, 4096);
  EXPECT_EQ(kernels[0].local_bytes, 16);
  EXPECT_EQ(kernels[0].occupancy, 0.75);
}

// A candidate with host code could have written all of it.
TEST(ProfilingTest, ForgedNumbersDoNoHarm) {
  KernelInventory forged{};
  std::ranges::fill(forged.kernel, KernelTime{});
  for (KernelTime& time : forged.kernel) {
    time.name.fill('x');
    time.calls = ~std::uint64_t{0};
    time.total_ns = ~std::uint64_t{0};
    time.registers = time.static_shared_bytes = ~std::uint32_t{0};
    time.block_threads = ~std::uint32_t{0};
  }
  forged.tracer = Tracer::kCupti;
  forged.kernels = ~std::uint32_t{0};
  std::vector<KernelProfile> kernels;
  AddTimes(forged, kDevice, kernels);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, std::string(60, 'x') + "...");
  EXPECT_EQ(kernels[0].occupancy, std::nullopt);
}

}  // namespace
}  // namespace coppice::eval::cuda
