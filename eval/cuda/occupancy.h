// How many warps of a kernel a multiprocessor holds at a time, of those that it
// can hold: the rules of NVIDIA's occupancy calculator (cuda_occupancy.h of the
// CUDA Toolkit) for compute capability 7.0 and later, with the largest share of
// the cache as shared memory.
#pragma once

#include <cstdint>

#include "eval/cuda/runner/protocol.h"
#include "store/records/profile.h"

namespace coppice::eval::cuda {

// What a block of a kernel needs.
struct BlockNeeds {
  std::uint64_t threads = 1;
  std::uint64_t registers = 0;     // Per thread.
  std::uint64_t shared_bytes = 0;  // Static and dynamic.
};

struct Occupancy {
  std::uint64_t blocks = 0;  // At a time; 0: a block does not fit.
  double share = 0.0;        // Of the most warps.
  ResidencyLimit limit = ResidencyLimit::kThreads;
};

// REQUIRES: at least one thread, and a multiprocessor that can hold some.
Occupancy OccupancyOf(const Multiprocessor& multiprocessor,
                      const BlockNeeds& block);

}  // namespace coppice::eval::cuda
