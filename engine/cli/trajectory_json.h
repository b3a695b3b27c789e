// A model call with what came of it, as docs/trajectories.md describes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "store/read/trajectories.h"
#include "store/write/campaigns.h"

namespace coppice::cli {

// What an attempt is worth: its node's speedup over the root, 0 if that did
// not pass.  None while it is open, or if the evaluator could not decide.
std::optional<double> RewardOf(const store::Endeavour& attempt);

nlohmann::ordered_json TrajectoryJson(const store::CampaignSpec& campaign,
                                      const store::Trajectory& call);

}  // namespace coppice::cli
