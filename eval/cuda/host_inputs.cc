#include "eval/cuda/host_inputs.h"

#include <algorithm>

namespace coppice::eval::cuda {

Result<HostInputs> ShareInputs(
    const std::vector<std::vector<std::byte>>& inputs) {
  HostInputs shared;
  for (const std::vector<std::byte>& bytes : inputs) {
    TRY(memory,
        SharedMemory::Create("input", std::max<std::size_t>(bytes.size(), 1),
                             Sharing::kReadOnly));
    std::ranges::copy(bytes, memory.data());
    shared.push_back(std::move(memory));
  }
  return shared;
}

}  // namespace coppice::eval::cuda
