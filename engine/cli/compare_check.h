// What could be wrong with a comparison, before a file is made for it.
#pragma once

#include <iosfwd>
#include <vector>

#include "engine/documents/verb.h"
#include "engine/run/grid.h"

namespace coppice::engine {
class CampaignFactory;
}

namespace coppice::cli {

// Whether any of the agents is a model that counts tokens.
bool CountsTokens(const config::Settings& settings);

// `rows` are the campaigns of the file.  What is unfit or unheeded is told.
Result<void> CheckGrid(const engine::Grid& grid, const Invocation& invocation,
                       const std::vector<store::CampaignRow>& rows,
                       engine::CampaignFactory& factory, std::ostream& err);

}  // namespace coppice::cli
