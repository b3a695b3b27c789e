// For tests: databases of campaigns that ran on drifting machines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"

namespace coppice {

struct DriftingFile {
  std::filesystem::path path;
  std::string policy;  // Of all its campaigns, at their start.
  std::uint64_t seed = 0;
};

inline constexpr int kDriftingBudget = 10;  // Attempts.

// On every task of level 1, and on one that is named as KernelBench's problems
// are; 15 campaigns in all.  Hardly a kernel of some tasks beats the root. Some
// have a claim, or a second policy, or by an even seed baselines, which no
// trace set of such tasks can hold; leaders of some were judged again later,
// and refuted.  All are finished, and their leaders confirmed.
void RunDriftingCampaigns(const DriftingFile& file,
                          const config::Surroundings& surroundings);

}  // namespace coppice
