// Kernels like a matrix product: each thread of a plane of outputs folds one
// loop of products, of which one factor goes with its row and one with its
// column.
//
// tile(kernel, rows, columns, depth, u, v)  a block computes rows x columns
//     outputs, u x v in each thread's registers, from tiles of that depth in
//     shared memory.
// tensor(kernel, rows, columns)  the same on tensor cores, for float16 and
//     bfloat16 factors; 32 x 32 for each warp.
//
// Either may end in `wide`: tiles are loaded 16 bytes at a time where these are
// aligned.
#pragma once

#include "agents/catalogue/cuda/device_technique.h"

namespace coppice::agents::catalogue::cuda {

DeviceOutcome TileProduct(const DeviceSite& site, const Technique& technique);
DeviceOutcome TensorProduct(const DeviceSite& site, const Technique& technique);

// True if the kernel is one, and whether tensor cores can take its factors.
struct ProductKind {
  bool is_product = false;
  bool narrow = false;
};
ProductKind KindOfProduct(const DeviceKernel& kernel);

}  // namespace coppice::agents::catalogue::cuda
