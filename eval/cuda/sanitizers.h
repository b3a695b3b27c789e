// NVIDIA's compute-sanitizer over one call of a candidate: accesses out of
// bounds by a byte, races in shared memory, reads of memory that nobody wrote,
// barriers that not all reach.  Right outputs do not show any of them.
//
// Each tool watches a process of its own (runner/rehearsal.h), in the sandbox
// and untimed.  Host code of a shared object shares its process with the tool
// and can blind it: for such candidates this finds mistakes, not malice.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "eval/cuda/runner_process.h"
#include "eval/cuda/runner_program.h"
#include "eval/cuda/sanitizer_output.h"
#include "eval/host/shared_memory.h"

namespace coppice::eval::cuda {

// One call: code, shapes, and an input for each of those of the shapes, a
// scalar's in its first bytes.
struct Rehearsal {
  const RunnerProgram& runner_program;
  const Shapes& shapes;
  std::span<const SharedMemory> inputs;
};

// A sandboxed process that rehearses; still without the tool that watches it:
// its files, and what is around it.
struct WatchedProgram {
  SandboxedProgram program;
  // What its descriptors refer to.
  SharedMemory control;
  UniqueFd code;
};

Result<WatchedProgram> ProgramOf(const RunnerOptions& options,
                                 const Rehearsal& rehearsal);

// All of `tools` at a time, each ended after `timeout_s`.
Result<std::vector<SanitizerOutput>> Watch(
    const RunnerOptions& options, const std::filesystem::path& folder,
    std::span<const std::string_view> tools, const Rehearsal& rehearsal,
    double timeout_s);

}  // namespace coppice::eval::cuda
