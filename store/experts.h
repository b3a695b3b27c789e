// What the expert solution of a campaign's task did, to compare with.
#pragma once

#include <optional>

#include "store/database.h"
#include "store/records/evaluation.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

// An evaluation of it, with all samples, and an event.  History is kept.
Result<void> AddExpertEvaluation(Database& database, CampaignId campaign,
                                 const Evaluation& evaluation, double now_s);

// The latest; none if it was never judged.
Result<std::optional<Evaluation>> ReadExpertEvaluation(Database& database,
                                                       CampaignId campaign);

}  // namespace coppice::store
