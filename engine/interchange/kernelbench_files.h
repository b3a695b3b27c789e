// The problems of a KernelBench checkout.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::engine {

// Files levelN/ID_NAME.py below `checkout`, or below its folder KernelBench, in
// the order of their numbers.  `subset` is "all", "representative" (35 of three
// levels, which STARK's experiments used), or "representative_sound": those
// without the three that measure nothing (level 1: 23, whose outputs are all
// below the tolerance; level 2: 18 and 23, whose last steps undo the work).
// kUsage if there is no such level or subset.
Result<std::vector<std::filesystem::path>> KernelBenchFiles(
    const std::filesystem::path& checkout, int level,
    const std::string& subset);

}  // namespace coppice::engine
