// One call of a candidate on device memory of its own, each buffer allocated by
// itself and exactly as large as it is, for tools that watch a process
// (sanitizers): no clock, no keeper, and nobody to talk to.
#pragma once

namespace coppice::eval::cuda {

// Descriptors of such a runner: Control, the trusted kernels (kHelpersFd), the
// code, and the inputs in their order; scalars are in Control::cells.
inline constexpr int kRehearsalControlFd = 3;
inline constexpr int kRehearsalCodeFd = 5;
inline constexpr int kFirstInputFd = 6;

// Ends the process: status 0 if the call was made and has ended well, else 1
// and a line on standard output.
[[noreturn]] void Rehearse();

}  // namespace coppice::eval::cuda
