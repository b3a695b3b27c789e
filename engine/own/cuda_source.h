// A CUDA file as `coppice new` reads it: kernels, and how they are launched,
// and the function that they come to when loops stand where threads were.
#pragma once

#include <string>
#include <vector>

#include "agents/catalogue/cuda/device_source.h"
#include "engine/own/source_file.h"
#include "store/records/result.h"

namespace coppice::engine::own {

struct CudaSource {
  std::vector<agents::catalogue::cuda::SourceLaunch> launches;
  std::vector<std::string> scratch;  // Plan lines of it.
  std::vector<Piece> pieces;         // Device code alone, in its order.
  // What `Read` takes: declarations, and one function of the buffers and
  // numbers that are launched with.
  std::vector<Piece> as_function;
};

// The launches are lines of a plan (eval/cuda/launch_plan.h), or those of a
// host function, `name` or the only one, that does nothing else.  kUsage begins
// with the line where there is one.
Result<CudaSource> ReadCudaSource(const std::string& text,
                                  const std::string& name);

}  // namespace coppice::engine::own
