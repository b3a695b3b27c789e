// What plan agents asked for and nobody has realised yet: plans of which no
// node passes, repairs included.  Nodes may still be mended or undecided; those
// with an undecided one are none.
#pragma once

#include <cstdint>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

struct UnrealisedPlan {
  NodeId last{};           // The newest node that was to realise it.
  std::int64_t tried = 0;  // Nodes that were.
};

// As it was when there were so many nodes, by what they count for now: of the
// plans of the last 256 of them, the newest first.
Result<std::vector<UnrealisedPlan>> ReadUnrealised(Database& database,
                                                   CampaignId campaign,
                                                   std::int64_t nodes,
                                                   std::int64_t limit);

}  // namespace coppice::store
