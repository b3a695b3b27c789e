// One call of a candidate on device memory of its own, each buffer allocated by
// itself and exactly as large as it is, for tools that watch a process
// (sanitizers): no clock, no trusted runner, and nobody to talk to.
#pragma once

#include "eval/cuda/runner/confine.h"

namespace coppice::eval::cuda {

// Descriptors of such a runner: Control, the code, and the inputs in their
// order; scalars are in Control::cells.  No kernels of ours are there, which a
// tool would take its time to rewrite, too.
inline constexpr int kRehearsalControlFd = 3;
inline constexpr int kRehearsalCodeFd = 4;
inline constexpr int kFirstInputFd = 5;

// What the runner is called with: under a sanitizer, under Nsight Compute.
inline constexpr char kRehearse[] = "--rehearse";
inline constexpr char kRehearseProfiled[] = "--rehearse-profiled";

// Ends the process: status 0 if the call was made and has ended well, else 1
// and a line on standard output.
[[noreturn]] void CallUnderTool(Watchers watchers);

}  // namespace coppice::eval::cuda
