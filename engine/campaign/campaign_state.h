// How a campaign stands, in a word, for who looks at it.
#pragma once

#include <filesystem>
#include <string>

#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

// "running", "paused", "finished", "interrupted" or "waiting".  A campaign that
// nobody runs any more was left behind by a crash, whatever its row says; one
// without a node waits for those before it.
Result<std::string> StateOf(CampaignId campaign, store::CampaignState state,
                            std::int64_t nodes,
                            const std::filesystem::path& file);

}  // namespace coppice::engine
