// A product of float16 or bfloat16 on tensor cores.  The sizes are numbers of
// the source that are left to be tuned, and these the ones to begin with.
//
// mma(kernel, rows, columns, depth, u, v, stages)  by mma.sync: a block
//     computes rows x columns outputs, u x v in each warp, from tiles of that
//     depth, of which `stages` are on their way or in use.
// wgmma(kernel, rows, columns, stages)  by wgmma, which sm_90 alone has: four
//     warps compute 64 x columns, from tiles of depth 64.
//
// Lines whose length is no multiple of 16 bytes come through registers, all
// others by cp.async.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome MmaProduct(const DeviceSite& site, const Technique& technique);
DeviceOutcome WgmmaProduct(const DeviceSite& site, const Technique& technique);

}  // namespace coppice::agents::catalogue::cuda
