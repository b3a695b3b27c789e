// What people asked of a campaign, as pages are told it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/inspector/rows.h"
#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::inspector {

// An array, by id.  `subject` is a node, or null: the campaign; `attempts` are
// the decisions that a person made by it.
Result<Json> DirectivesJson(store::Database& database, CampaignId campaign);

}  // namespace coppice::inspector
