// The CPU's twin of the kernel that makes random inputs (coppice_generate in
// device/helpers.cu).  It is never used for judging: it says in C++ what the
// kernel does, and tests hold the kernel to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/records/task.h"

namespace coppice::eval::cuda {

// Elements [first, first + count) of input number `tensor`, as they lie in
// memory.  Equal to the kernel's but for the last bit of a few floats, where
// the logarithm or the sine of the two differ.  Distributions are those of
// eval/judge/inputs.h.
std::vector<std::byte> Generate(DType dtype, std::uint64_t seed,
                                std::uint32_t tensor, std::uint64_t first,
                                std::size_t count);

}  // namespace coppice::eval::cuda
