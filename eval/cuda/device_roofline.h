// What a call cannot do without on a device, and how fast that device does it:
// the ground under every time, as eval/cpu/cpu_roofline.h has it for
// processors.
#pragma once

#include "eval/cuda/runner/protocol.h"
#include "eval/formats/shapes.h"
#include "eval/host/nvml.h"

namespace coppice::eval::cuda {

// Inputs are not in the cache and must be read; so much of the outputs as the
// cache cannot hold must be written.
double LeastBytes(const Shapes& shapes, const Abilities& abilities);

// The most operations a second on such inputs, a multiply-add counting as two:
// those of tensor cores by NVIDIA's data sheets, at the highest clock and
// without sparsity.  8-bit numbers have twice those of halves; float32 has
// half, since its 24 bits take at least two products of halves' 11.  0, which
// is no roof, of a device whose data sheet is not known here.
double PeakFlops(const DeviceIdentity& identity, const Abilities& abilities,
                 const Shapes& shapes);

}  // namespace coppice::eval::cuda
