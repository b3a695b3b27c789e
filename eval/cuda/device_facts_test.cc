#include "eval/cuda/device_facts.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

TEST(DeviceFactsTest, TellsWhatBlocksHaveToShare) {
  DeviceIdentity identity;
  identity.compute_major = 9;
  Abilities abilities{};
  abilities.clock_hz = 1'980'000'000;
  abilities.multiprocessors = 132;
  abilities.l2_bytes = 50 * 1024 * 1024;
  abilities.memory_bytes = std::uint64_t{140} * 1024 * 1024 * 1024;
  abilities.copy_bytes_per_s = 3'940'000'000'000;
  abilities.multiprocessor = {2048, 32, 65536, 228 * 1024, 1024};
  EXPECT_EQ(DeviceFacts(identity, abilities),
            "compute capability 9.0, 132 multiprocessors at 1980 MHz, each "
            "with 65536 registers, 228 KiB of shared memory, room for 2048 "
            "threads and 32 blocks; L2 50 MiB, device memory 143360 MiB");
}

}  // namespace
}  // namespace coppice::eval::cuda
