// vector(kernel, n): each thread takes n neighbouring elements, loaded and
// stored together, 16 bytes at a time if n fills them.
//
// For kernels whose arrays are read and written at the thread's own index and
// nowhere else.  Elements after the last whole group are done one by one.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome PackElements(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
