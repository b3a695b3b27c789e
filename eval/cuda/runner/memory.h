// Device pages that two processes map, handed over by descriptor.
//
// The addresses before and after them are reserved and never mapped, so an
// access out of bounds by more than the slack within the pages is a fault.
#pragma once

#include <cstdint>

#include "eval/cuda/runner/gpu.h"

namespace coppice::eval::cuda {

// Sizes are multiples of it; the gap on either side is as large.
inline constexpr std::uint64_t kGranularity = 2 << 20;

struct SharedPages {
  DevicePointer at = 0;
  int descriptor = -1;  // To be sent; the process keeps the pages.
};

SharedPages CreatePages(const Gpu& gpu, std::uint64_t bytes);

DevicePointer ImportPages(const Gpu& gpu, int descriptor, std::uint64_t bytes,
                          AccessFlags access);

// Private ones, with the same gaps.
DevicePointer CreatePrivatePages(const Gpu& gpu, std::uint64_t bytes);

}  // namespace coppice::eval::cuda
