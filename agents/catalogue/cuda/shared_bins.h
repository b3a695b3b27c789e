// bins(kernel, blocks): counts in shared memory first, and adds each block's
// counts to the result once.
//
// For a kernel of one atomicAdd(&counts[... & MASK], value) per element.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome SharedBins(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
