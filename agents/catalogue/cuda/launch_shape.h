// Techniques on the shape of a launch.
//
// threads(kernel, x[, y])   that many threads in a block; the grid follows.
// stride(kernel, blocks)    at most that many blocks, each thread of which
//     takes every element a whole grid further on, instead of one.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome Threads(const DeviceSite& site, const Technique& technique);
DeviceOutcome Stride(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
