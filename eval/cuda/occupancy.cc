#include "eval/cuda/occupancy.h"

#include <limits>

namespace coppice::eval::cuda {
namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kParts = 4;            // Of a multiprocessor.
constexpr std::uint64_t kRegisterUnit = 256;   // Of a warp's registers.
constexpr std::uint64_t kSharedUnit = 128;     // Bytes of a block's memory.
constexpr std::uint64_t kMostRegisters = 255;  // Of a thread.
constexpr auto kAny = std::numeric_limits<std::uint64_t>::max();

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Each part has its own registers, and warps do not share theirs.
std::uint64_t BlocksByRegisters(const Multiprocessor& multiprocessor,
                                const BlockNeeds& block, std::uint64_t warps) {
  const std::uint64_t of_warp = RoundUp(block.registers * kWarp, kRegisterUnit);
  if (of_warp == 0) return kAny;
  const bool fits =
      block.registers <= kMostRegisters &&
      of_warp * RoundUp(warps, kParts) <= multiprocessor.registers;
  const std::uint64_t of_part = multiprocessor.registers / kParts / of_warp;
  return fits ? of_part * kParts / warps : 0;
}

}  // namespace

Occupancy OccupancyOf(const Multiprocessor& multiprocessor,
                      const BlockNeeds& block) {
  const std::uint64_t warps = RoundUp(block.threads, kWarp) / kWarp;
  const std::uint64_t most_warps = multiprocessor.threads / kWarp;
  const std::uint64_t shared = RoundUp(
      block.shared_bytes + multiprocessor.reserved_shared_bytes, kSharedUnit);
  Occupancy occupancy{BlocksByRegisters(multiprocessor, block, warps), 0.0,
                      ResidencyLimit::kRegisters};
  const auto limit = [&](std::uint64_t blocks, ResidencyLimit by) {
    if (blocks < occupancy.blocks) {
      occupancy.blocks = blocks;
      occupancy.limit = by;
    }
  };
  limit(shared == 0 ? kAny : multiprocessor.shared_bytes / shared,
        ResidencyLimit::kSharedMemory);
  limit(multiprocessor.blocks, ResidencyLimit::kBlocks);
  limit(most_warps / warps, ResidencyLimit::kThreads);
  occupancy.share = static_cast<double>(occupancy.blocks * warps) /
                    static_cast<double>(most_warps);
  return occupancy;
}

}  // namespace coppice::eval::cuda
