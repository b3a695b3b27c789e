// coarsen(kernel, variable, n): each thread takes n values of the variable at
// once, its loops shared, so that what does not depend on the variable is
// loaded once for all n.
//
// The variable is one of the threads' (values a block's width apart, so that
// neighbouring threads still take neighbouring elements), or one that the
// grid's z holds as `blockIdx.z % C` beside `blockIdx.z / C`.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome Coarsen(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
