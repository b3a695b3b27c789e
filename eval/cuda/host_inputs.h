// Inputs that were made on the host, where a runner can be given them.
#pragma once

#include <cstddef>
#include <vector>

#include "eval/host/shared_memory.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

// One per input, in definition order: the tensor, or a scalar's cell.
using HostInputs = std::vector<SharedMemory>;

// `inputs` are InputBytes (eval/judge/inputs.h).
Result<HostInputs> ShareInputs(
    const std::vector<std::vector<std::byte>>& inputs);

}  // namespace coppice::eval::cuda
