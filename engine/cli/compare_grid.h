// What a command line asks to be compared, beside what a file has.
#pragma once

#include <string>
#include <vector>

#include "engine/documents/verb.h"
#include "engine/run/grid.h"

namespace coppice::engine {
class CampaignFactory;
}

namespace coppice::cli {

// Those of `option`, which is --tasks or --held-out, else the file's.
Result<std::vector<std::string>> ComparedTasks(
    const Invocation& invocation, const std::string& option,
    const engine::CampaignFactory& factory,
    const std::vector<std::string>& file);

// What the command line says, and the file where it says nothing.
Result<engine::Grid> GridOf(const Invocation& invocation,
                            const engine::CampaignFactory& factory,
                            const engine::Grid& file);

// Campaigns of the file; none if there is no such file yet.
Result<std::vector<store::CampaignRow>> ComparedRows(
    const Invocation& invocation);

// The grid of these campaigns; without policies if they have none.  kUsage: it
// is for a report, which would be empty.
Result<engine::Grid> GridOfFile(const Invocation& invocation,
                                const std::vector<store::CampaignRow>& rows);

}  // namespace coppice::cli
