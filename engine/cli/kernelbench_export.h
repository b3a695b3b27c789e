// coppice export kernelbench: campaigns on KernelBench problems as the files
// that its own tools read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::cli {

enum class SampleChoice : std::uint8_t {
  kBest,  // One of each problem: the best node, or else the last.
  kAll,   // Every node but the root, as sample node - 1.
};

struct Exported {
  std::int64_t runs = 0;
  std::int64_t kernels = 0;
  std::int64_t baselines = 0;         // Files.
  std::vector<std::string> left_out;  // Campaigns on no problem of theirs.
};

// Writes, below `directory`,
//   runs/POLICY.sSEED.levelL/eval_results.json and the kernels beside it,
//   results/timing/HARDWARE/baseline_time_NAME.json.
// POLICY is "import" where all candidates were imported, and ends in ".alone"
// where a code agent worked alone.  A problem is a task with a level and a name
// as "level1_19_ReLU" or "19_ReLU". kUsage, before anything is written, if two
// campaigns are the same problem of a run.
Result<Exported> ExportKernelBench(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    SampleChoice choice, const std::filesystem::path& directory);

}  // namespace coppice::cli
