// How a file goes on, for who watches it: whether anybody has committed since,
// and in few words what.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/write/campaigns.h"

namespace coppice::store {

// Another number than before says that another connection has committed since.
Result<std::int64_t> DataVersion(Database& database);

struct ChangeCounter {
  CampaignId campaign{};
  std::string name;
  CampaignState state = CampaignState::kRunning;
  std::int64_t nodes = 0;
  std::int64_t attempts = 0;
  std::int64_t further = 0;
  std::int64_t in_flight = 0;  // Attempts that are not committed.
  double spent_usd = 0.0;
  std::int64_t directives = 0;      // That wait to be taken up.
  std::int64_t last_directive = 0;  // Notes and pins are among them.
  std::int64_t last_event = 0;
};

// One for each campaign, by name, in order of creation; one short transaction.
// Events that `before`, what was read last, knows of are not read again.
Result<std::vector<ChangeCounter>> ReadChangeCounters(
    Database& database, const std::vector<ChangeCounter>& before = {});

}  // namespace coppice::store
