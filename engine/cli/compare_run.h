// The campaigns of a comparison, run and read.
#pragma once

#include <vector>

#include "engine/documents/verb.h"
#include "engine/run/grid.h"

namespace coppice::engine {
struct Scores;
}

namespace coppice::cli {

// The settings that the grid decides, beside the others.
Result<Invocation> SettledFor(const engine::Grid& grid,
                              const Invocation& invocation,
                              const std::vector<store::CampaignRow>& rows);

// Checks the grid, and runs what the file lacks of it.
Result<Exit> RunGrid(const Invocation& invocation, const engine::Grid& grid,
                     const std::vector<store::CampaignRow>& rows,
                     Streams& streams);

// What campaigns of the file came to, but for those that people steered.
Result<engine::Scores> ScoresOf(const Invocation& invocation,
                                const engine::Grid& grid, Streams& streams);

// `compare [FILE] --factorial`.
Result<Exit> CompareFactorial(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
