#include "engine/steering/limits.h"

namespace coppice::engine {

void FollowLimits(const std::vector<const Directive*>& in_force,
                  std::set<DirectiveId>& known, store::CampaignSpec& spec,
                  store::Cap& cap) {
  for (const Directive* each : in_force) {
    if (each->kind != DirectiveKind::kBudget ||
        !known.insert(each->id).second) {
      continue;
    }
    if (each->aspect == kAttemptsAspect) {
      spec.budget_attempts = static_cast<std::int64_t>(*each->amount);
    } else if (each->aspect == kSecondsAspect) {
      spec.budget_s = each->amount;
    } else if (each->aspect == kUsdAspect) {
      cap.usd = each->amount;
    } else {
      cap.tokens = static_cast<std::int64_t>(*each->amount);
    }
  }
}

}  // namespace coppice::engine
