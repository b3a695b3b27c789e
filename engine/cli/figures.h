// Pictures of a comparison, or of traces, drawn by Python and matplotlib from
// CSV files.
#pragma once

#include <filesystem>

#include "store/records/result.h"

namespace coppice::cli {

// Draws differences, curves, profiles and scores in `directory`, each as .svg
// and as .png, from the files that WriteComparisonCsv put there; or fast_p and
// win_at_p, from files that are called so.  kUnavailable says what to install.
Result<void> DrawFigures(const std::filesystem::path& directory);

}  // namespace coppice::cli
