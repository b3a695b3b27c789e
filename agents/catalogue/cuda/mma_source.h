// The text of device/*.cuh, which `mma` and `wgmma` put above a kernel.
#pragma once

#include <string>

namespace coppice::agents::catalogue::cuda {

std::string TileCopies();  // Instructions that copy, and
std::string Tiles();       // tiles made of them.
std::string StageSums();   // Sums on their way to be stored.

std::string MmaPtx();       // Instructions, and
std::string MmaMultiply();  // that which knows its type: here __half's;
std::string MmaSums();      // the product made of them.

std::string WgmmaPtx();  // The same by wgmma.
std::string WgmmaSums();

}  // namespace coppice::agents::catalogue::cuda
