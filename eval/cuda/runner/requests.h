// What a runner is given by descriptor.
#pragma once

#include <string>

#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// Both end the process if it cannot be had.
std::string ReadAll(int descriptor);
const Control& MapControl(int descriptor);  // Stays mapped.

}  // namespace coppice::eval::cuda
