// A module's kernels with the launches of a Control, ready to be queued.
#pragma once

#include <vector>

#include "eval/cuda/runner/gpu.h"
#include "eval/cuda/runner/protocol.h"

namespace coppice::eval::cuda {

// The addresses that arguments stand for.
struct Buffers {
  std::vector<DevicePointer> inputs;  // 0 for scalars.
  std::vector<DevicePointer> outputs;
  std::vector<DevicePointer> magnitudes;
  std::vector<DevicePointer> scratches;
};

class Launches {
 public:
  // `code` is a cubin.  `control` outlives this.
  Launches(const Gpu& gpu, const Control& control, const std::string& code);

  void Queue(const Buffers& buffers) const;

 private:
  void CheckParameters(Function function, const cuda::Launch& launch) const;
  std::uint64_t ValueOf(const LaunchArgument& argument,
                        const Buffers& buffers) const;

  const Gpu& gpu_;
  const Control& control_;
  std::vector<Function> functions_;  // [launches]
};

}  // namespace coppice::eval::cuda
