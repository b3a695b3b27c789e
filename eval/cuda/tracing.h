// A process of a candidate's own in which CUPTI tells its kernels apart.
// Nothing of it is timed, and nothing that it tells is held against anybody.
//
// For there is nothing to hold.  An inventory could show kernels of a library
// that does the work in a candidate's name; but no such library is within reach
// (linkage.h checks what code is linked with, LeaveFewLibraries() in
// runner_process.cc what it can open), and device code launches what its plan
// says.  Besides, CUPTI reports from within the candidate's process, where host
// code could silence it: its word would convict the honest only.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "store/records/result.h"

namespace coppice::eval::cuda {

class CudaBench;
struct RunnerOptions;
struct RunnerProgram;
struct Traced;

// libcupti.so of a toolkit; empty: it has none.
std::filesystem::path FindCupti(const std::filesystem::path& toolkit);

// One call on each bench, after one that loads what is loaded late.  Errors are
// ours; a candidate that fails here is only noted.
// `options.profiler`: from FindCupti.
Result<Traced> Trace(const RunnerOptions& options,
                     const std::vector<std::unique_ptr<CudaBench>>& benches,
                     const std::vector<RunnerProgram>& assignments,
                     double timeout_s);

}  // namespace coppice::eval::cuda
