// exchange(kernel): a transposition through a tile in shared memory, so that
// both its loads and its stores go along memory.
//
// For a kernel of one assignment, y[...] = x[...], whose load has stride 1
// along the threads' x and whose store has stride 1 along their y.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome Exchange(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
