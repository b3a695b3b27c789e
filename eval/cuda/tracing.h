// A process of a candidate's own in which CUPTI tells its kernels apart.
// Nothing of it is timed, and nothing that it tells is held against anybody.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "eval/cuda/bench.h"
#include "eval/cuda/profiling.h"
#include "eval/cuda/runner_process.h"

namespace coppice::eval::cuda {

// libcupti.so in a toolkit, or else where the loader finds it; empty: nowhere.
std::filesystem::path FindCupti(const std::filesystem::path& toolkit);

// One call on each bench, after one that loads what is loaded late.  Errors are
// ours; a candidate that fails here is only noted.
// `options.profiler`: from FindCupti.
Result<Traced> Trace(const RunnerOptions& options,
                     const std::vector<std::unique_ptr<Bench>>& benches,
                     const std::vector<Assignment>& assignments,
                     double timeout_s);

}  // namespace coppice::eval::cuda
