// How far a campaign is, as verbs that look at a file tell it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/campaign/rival.h"
#include "store/read/history.h"
#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::store {
class Database;
}

namespace coppice::cli {

struct Standing {
  store::CampaignRow row;
  std::string state;
  store::Totals totals;
  std::optional<store::NodeLine> best;
  std::optional<engine::Rival> rival;
  std::vector<store::DeviceTime> devices;
  std::int64_t pending = 0;  // Directives of people.
  bool is_steered = false;
};

Result<Standing> ReadStanding(store::Database& database,
                              const std::filesystem::path& file,
                              store::CampaignRow row);

}  // namespace coppice::cli
