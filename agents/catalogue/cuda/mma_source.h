// The text of device/mma_*.cuh, which `mma` puts above a kernel.
#pragma once

#include <string>

namespace coppice::agents::catalogue::cuda {

std::string MmaPtx();       // Instructions, and
std::string MmaMultiply();  // that which knows its type: here __half's;
std::string MmaSums();      // the product made of them.

}  // namespace coppice::agents::catalogue::cuda
