// How far a campaign is, as verbs that look at a file tell it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/rival.h"
#include "store/campaigns.h"
#include "store/database.h"
#include "store/history.h"
#include "store/records/result.h"

namespace coppice::cli {

struct Standing {
  store::CampaignRow row;
  std::string state;
  store::Totals totals;
  std::optional<store::NodeLine> best;
  std::optional<engine::Rival> rival;
  std::vector<store::DeviceTime> devices;
};

// "running", "paused", "finished", "interrupted" or "waiting".  A campaign that
// nobody runs any more was left behind by a crash, whatever its row says; one
// without a node waits for those before it.
Result<std::string> StateOf(const store::CampaignRow& row,
                            const std::filesystem::path& file);

Result<Standing> ReadStanding(store::Database& database,
                              const std::filesystem::path& file,
                              store::CampaignRow row);

}  // namespace coppice::cli
