#include "eval/cuda/occupancy.h"

#include <gtest/gtest.h>

namespace coppice::eval::cuda {
namespace {

// Compute capability 9.0: 64 warps, of which each quarter of the 65536
// registers holds its own; 228 KiB of shared memory, of which each block takes
// 1 KiB beside its own.
constexpr Multiprocessor kHopper = {2048, 32, 65536, 233472, 1024};

void ExpectOccupancy(const BlockNeeds& block, std::uint64_t blocks,
                     double share, ResidencyLimit limit) {
  const Occupancy occupancy = OccupancyOf(kHopper, block);
  EXPECT_EQ(occupancy.blocks, blocks);
  EXPECT_DOUBLE_EQ(occupancy.share, share);
  EXPECT_EQ(occupancy.limit, limit);
}

// 32 registers x 32 threads are 1024 a warp: 16 warps a quarter, 64 in all.
TEST(OccupancyTest, ThirtyTwoRegistersFillIt) {
  EXPECT_DOUBLE_EQ(OccupancyOf(kHopper, {256, 32, 0}).share, 1.0);
  EXPECT_EQ(OccupancyOf(kHopper, {256, 32, 0}).blocks, 8u);
}

// 33 are allocated as 40, 1280 a warp: 16384 / 1280 = 12 warps a quarter, 48 in
// all, 6 blocks of 8.
TEST(OccupancyTest, RegistersAreAllocatedByEights) {
  ExpectOccupancy({256, 33, 0}, 6, 0.75, ResidencyLimit::kRegisters);
  ExpectOccupancy({256, 40, 0}, 6, 0.75, ResidencyLimit::kRegisters);
}

// 96 registers: 3072 a warp, 5 warps a quarter, 20 in all: 2 blocks of 8, since
// 4 warps are left over.
TEST(OccupancyTest, BlocksAreWhole) {
  ExpectOccupancy({256, 96, 0}, 2, 0.25, ResidencyLimit::kRegisters);
}

// There are at most 32 blocks.  With 32 threads each, they fill half of the 64
// warps.
TEST(OccupancyTest, SmallBlocksAreLimitedInNumber) {
  ExpectOccupancy({32, 16, 0}, 32, 0.5, ResidencyLimit::kBlocks);
  // A thread takes a whole warp.
  ExpectOccupancy({1, 16, 0}, 32, 0.5, ResidencyLimit::kBlocks);
}

// 48 KiB and the reserved one: 233472 / 50176 = 4 blocks of 4 warps.
TEST(OccupancyTest, SharedMemoryCountsWithWhatIsReserved) {
  ExpectOccupancy({128, 32, 49152}, 4, 0.25, ResidencyLimit::kSharedMemory);
  // 227 KiB, the most that a block may have, just fit.
  ExpectOccupancy({128, 32, 232448}, 1, 0.0625, ResidencyLimit::kSharedMemory);
  ExpectOccupancy({128, 32, 232449}, 0, 0.0, ResidencyLimit::kSharedMemory);
}

// 2048 / 768 = 2 blocks of 24 warps.
TEST(OccupancyTest, ThreadsAreLimited) {
  ExpectOccupancy({768, 24, 0}, 2, 0.75, ResidencyLimit::kThreads);
}

// 1024 threads of 72 registers: 2304 a warp, 73728 a block.
TEST(OccupancyTest, ABlockThatDoesNotFitIsNone) {
  ExpectOccupancy({1024, 72, 0}, 0, 0.0, ResidencyLimit::kRegisters);
  ExpectOccupancy({1024, 64, 0}, 1, 0.5, ResidencyLimit::kRegisters);
}

}  // namespace
}  // namespace coppice::eval::cuda
