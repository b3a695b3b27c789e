// The documents of a set, found and said in FlashInfer-Bench's words.
//
// A set has folders definitions/, solutions/, workloads/ and traces/ with files
// found by their ending anywhere below.  Where it has none of these, it is one
// of SOL-ExecBench: folders, the root or up to four below it, with
// definition.json and workload.jsonl, and beside them solutions (other .json
// with a "spec") and traces (other .jsonl).  A folder with traces.json, as its
// scripts/run_dataset.py leaves, has solutions and traces alone.  Two folders
// with the same definition are one problem, with the first one's workloads, and
// of equal solutions one counts.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "eval/formats/json_cursor.h"
#include "store/records/result.h"

namespace coppice::eval {

// Whether there is any such folder.
bool IsSet(const std::filesystem::path& root);

// Whether it is one problem of SOL-ExecBench.
bool IsProblemFolder(const std::filesystem::path& folder);

// kNotFound if it would be one but for its workloads.
Result<void> MustHaveWorkloads(const std::filesystem::path& folder);

using UseDocument =
    std::function<Result<void>(const std::filesystem::path&, const Json&)>;
using UseLine = std::function<Result<void>(const Cursor&)>;

Result<void> ForEachDefinition(const std::filesystem::path& root,
                               const UseDocument& use);
// Their files, each of which LoadTaskOf (trace_set.h) takes by itself; those
// that cannot be read, too.
Result<std::vector<std::filesystem::path>> DefinitionFiles(
    const std::filesystem::path& root);

Result<void> ForEachSolution(const std::filesystem::path& root,
                             const UseDocument& use);
// Traces without a solution.  The paths of tensors are relative to the root.
Result<void> ForEachWorkload(const std::filesystem::path& root,
                             const UseLine& use);
Result<void> ForEachTrace(const std::filesystem::path& root,
                          const UseLine& use);

// What the benchmark's site says of a problem on an NVIDIA B200, where a
// metadata.json beside it has kept it: of each workload the time at the speed
// of light, and that of an optimised baseline.
using UseBound = std::function<void(const std::string& definition,
                                    const std::string& workload, double sol_ms,
                                    double baseline_ms)>;
Result<void> ForEachBound(const std::filesystem::path& root,
                          const UseBound& use);

}  // namespace coppice::eval
