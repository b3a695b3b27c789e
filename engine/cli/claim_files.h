// Files of kernels from elsewhere, read as claims about candidates of a task.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/formats/kernel_list.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/write/claims.h"

namespace coppice::cli {

// Which of a file's kernels are for the task.  Unset: whatever it has, as long
// as that is one.
struct ClaimFilter {
  std::optional<std::int64_t> level;
  std::optional<std::int64_t> problem;
};

struct ClaimFile {
  std::vector<store::Claim> claims;
  std::string note;  // What was read as what, and what was left out.
};

// A list as eval/formats/kernel_list.h describes it.  `runtime_unit_s` is that
// of a runtime whose name does not end in its unit.
Result<ClaimFile> ReadClaimList(const std::filesystem::path& path,
                                const eval::ListFields& fields,
                                double runtime_unit_s,
                                const ClaimFilter& selection, const Task& task);

// A run of KernelBench: a directory with kernels and, if it was evaluated,
// eval_results.json.
Result<ClaimFile> ReadKernelBenchRun(const std::filesystem::path& directory,
                                     const ClaimFilter& selection,
                                     const Task& task);

}  // namespace coppice::cli
