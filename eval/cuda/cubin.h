// What a cubin says of its kernels, so that a plan can be held against them
// before any device sees it.  The numbers are those that ptxas -v prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::eval::cuda {

struct KernelFacts {
  std::string name;
  std::uint32_t registers = 0;     // Per thread.
  std::uint64_t shared_bytes = 0;  // Static, without what the device reserves.
  // Per thread: spilled registers and arrays that are not in registers, of the
  // kernel and what it calls.
  std::uint64_t local_bytes = 0;
  std::uint64_t max_threads = 1024;       // Of a block.
  std::vector<std::uint32_t> parameters;  // Bytes of each.
};

// Facts of kernels by name.  None if it is no cubin of a format that we know
// (CUDA 12 and 13).
std::optional<std::vector<KernelFacts>> ReadCubin(std::string_view cubin);

}  // namespace coppice::eval::cuda
