// Beside a driver and a runtime of its own making: libcuda.so.1 and libcudart,
// which the linker puts behind device_memory.so.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "eval/torch/fake_cuda.h"

extern "C" {
int cudaMalloc(void** pointer, std::size_t bytes);
int cudaFree(void* pointer);
// Offset, bytes of the piece, its serial, its descriptor.
int coppice_find_memory(std::uint64_t address, std::uint64_t* found);
}

namespace coppice::eval::torch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::uint64_t AddressOf(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

class DeviceMemoryTest : public testing::Test {
 protected:
  void SetUp() override { FakeCuda() = {}; }

  void* Malloc(std::size_t bytes) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, bytes), 0);
    return pointer;
  }

  std::array<std::uint64_t, 4> found_{};
};

TEST_F(DeviceMemoryTest, WhatIsSmallGoesTheUsualWay) {
  void* const small = Malloc(2 * kMiB - 1);
  EXPECT_THAT(FakeCuda().calls, ElementsAre("cudaMalloc"));
  EXPECT_EQ(coppice_find_memory(AddressOf(small), found_.data()), 0);
  EXPECT_EQ(cudaFree(small), 0);
  EXPECT_THAT(FakeCuda().calls, ElementsAre("cudaMalloc", "cudaFree"));
}

TEST_F(DeviceMemoryTest, WhatIsLargeIsFoundByAnyAddressOfIt) {
  void* const large = Malloc(3 * kMiB);  // 4 MiB, by 2 MiB each.
  const std::uint64_t base = AddressOf(large);
  ASSERT_EQ(coppice_find_memory(base, found_.data()), 1);
  EXPECT_EQ(found_[0], 0u);
  EXPECT_EQ(found_[1], 4 * kMiB);
  const std::uint64_t serial = found_[2];
  const std::uint64_t descriptor = found_[3];
  ASSERT_EQ(coppice_find_memory(base + 4 * kMiB - 1, found_.data()), 1);
  EXPECT_THAT(found_, ElementsAre(4 * kMiB - 1, 4 * kMiB, serial, descriptor));
  EXPECT_EQ(coppice_find_memory(base + 4 * kMiB, found_.data()), 0);
  EXPECT_EQ(coppice_find_memory(base - 1, found_.data()), 0);
  EXPECT_EQ(FakeCuda().exported, 1);  // Once for both.
  EXPECT_EQ(cudaFree(large), 0);
}

TEST_F(DeviceMemoryTest, WhatIsFreedIsGoneAndItsSerialIsNoOthers) {
  void* const first = Malloc(2 * kMiB);
  ASSERT_EQ(coppice_find_memory(AddressOf(first), found_.data()), 1);
  const std::uint64_t serial = found_[2];
  const int descriptor = static_cast<int>(found_[3]);
  FakeCuda().calls.clear();
  EXPECT_EQ(cudaFree(first), 0);
  EXPECT_THAT(FakeCuda().calls,
              ElementsAre("cudaDeviceSynchronize", "cuMemUnmap",
                          "cuMemAddressFree", "cuMemRelease"));
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1);
  EXPECT_EQ(coppice_find_memory(AddressOf(first), found_.data()), 0);
  EXPECT_EQ(FakeCuda().held, 0);

  void* const second = Malloc(2 * kMiB);
  ASSERT_EQ(coppice_find_memory(AddressOf(second), found_.data()), 1);
  EXPECT_NE(found_[2], serial);
  EXPECT_EQ(cudaFree(second), 0);
}

TEST_F(DeviceMemoryTest, EachOfManyIsFound) {
  std::array<void*, 64> all{};
  for (void*& one : all) one = Malloc(2 * kMiB);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    EXPECT_EQ(cudaFree(all[i]), 0);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t middle = AddressOf(all[i]) + kMiB;
    EXPECT_EQ(coppice_find_memory(middle, found_.data()), i % 2 == 1) << i;
  }
  for (std::size_t i = 1; i < all.size(); i += 2) {
    EXPECT_EQ(cudaFree(all[i]), 0);
  }
  EXPECT_EQ(FakeCuda().held, 0);
}

TEST_F(DeviceMemoryTest, AnAddressWithinAPieceIsTheRuntimesToRefuse) {
  void* const large = Malloc(4 * kMiB);
  FakeCuda().calls.clear();
  EXPECT_EQ(cudaFree(static_cast<char*>(large) + kMiB), kFakeInvalid);
  EXPECT_THAT(FakeCuda().calls, ElementsAre("cudaFree"));
  EXPECT_EQ(cudaFree(large), 0);
}

TEST_F(DeviceMemoryTest, NothingIsFreedThatMayStillBeUsed) {
  void* const large = Malloc(2 * kMiB);
  FakeCuda().fails = "cudaDeviceSynchronize";
  EXPECT_EQ(cudaFree(large), kFakeFailure);
  EXPECT_EQ(coppice_find_memory(AddressOf(large), found_.data()), 1);
  FakeCuda().fails = "";
  EXPECT_EQ(cudaFree(large), 0);
}

TEST_F(DeviceMemoryTest, TorchHearsThatMemoryIsOut) {
  FakeCuda().is_full = true;
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 2 * kMiB), kFakeOutOfMemory);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(FakeCuda().held, 0);
}

TEST_F(DeviceMemoryTest, WhatTheDriverRefusesGoesTheUsualWay) {
  for (const std::string call :
       {"cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"}) {
    FakeCuda() = {};
    FakeCuda().fails = call;
    void* const large = Malloc(2 * kMiB);
    EXPECT_EQ(FakeCuda().calls.back(), "cudaMalloc") << call;
    EXPECT_EQ(FakeCuda().held, 0) << call;
    EXPECT_EQ(coppice_find_memory(AddressOf(large), found_.data()), 0) << call;
    EXPECT_EQ(cudaFree(large), 0);
  }
}

TEST_F(DeviceMemoryTest, WhatCannotBeExportedIsOfNoPiece) {
  void* const large = Malloc(2 * kMiB);
  FakeCuda().fails = "cuMemExportToShareableHandle";
  EXPECT_EQ(coppice_find_memory(AddressOf(large), found_.data()), 0);
  FakeCuda().fails = "";
  EXPECT_EQ(coppice_find_memory(AddressOf(large), found_.data()), 1);
  EXPECT_EQ(cudaFree(large), 0);
}

TEST_F(DeviceMemoryTest, NoMemoryIsFreedTheUsualWay) {
  EXPECT_EQ(cudaFree(nullptr), 0);
  EXPECT_THAT(FakeCuda().calls, ElementsAre("cudaFree"));
}

}  // namespace
}  // namespace coppice::eval::torch
