// The limits that people set while a campaign runs.
#pragma once

#include <set>
#include <vector>

#include "store/records/directive.h"
#include "store/write/campaigns.h"
#include "store/write/caps.h"

namespace coppice::engine {

// Those in force that are not among the `known` become so, and the campaign's
// own: its budgets in `spec`, its tokens and money in `cap`.
void FollowLimits(const std::vector<const Directive*>& in_force,
                  std::set<DirectiveId>& known, store::CampaignSpec& spec,
                  store::Cap& cap);

}  // namespace coppice::engine
