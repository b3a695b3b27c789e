// Techniques that keep a kernel's threads and loops as they are.
//
// restrict(kernel)            promises that its pointers do not overlap, which
//     lets loads of constant data go through the read-only cache, early.
// unroll(kernel, variable, n)  a pragma for n iterations of the loop at once.
// math(kernel)                functions by the hardware's approximations.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome RestrictPointers(const DeviceSite& site, const Technique&);
DeviceOutcome UnrollLoop(const DeviceSite& site, const Technique& technique);
DeviceOutcome QuickMath(const DeviceSite& site, const Technique&);

}  // namespace coppice::agents::catalogue::cuda
