// Inputs that were made on the host, where a runner can be given them.
#pragma once

#include <vector>

#include "eval/host/shared_memory.h"
#include "eval/judge/inputs.h"
#include "store/records/result.h"

namespace coppice::eval::cuda {

// One per input, in definition order: the tensor, or a scalar's cell.
using HostInputs = std::vector<SharedMemory>;

Result<HostInputs> ShareInputs(const InputBytes& inputs);

}  // namespace coppice::eval::cuda
