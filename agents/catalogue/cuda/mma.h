// A product of float16 or bfloat16 on tensor cores, by mma.sync.
//
// mma(kernel, rows, columns, depth, u, v, stages)  a block computes rows x
//     columns outputs, u x v in each warp, from tiles of that depth, of which
//     `stages` are on their way or in use.  Lines whose length is no multiple
//     of 16 bytes come through registers, all others by cp.async.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome MmaProduct(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
