// What came of a campaign that was run.
#pragma once

#include <optional>
#include <string>

#include "engine/campaign/extent.h"
#include "engine/campaign/progress.h"
#include "engine/campaign/rival.h"
#include "store/write/baselines.h"

namespace coppice::engine {

struct CampaignReport {
  std::string campaign;
  std::string task;
  Ending ending = Ending::kBudgetSpent;
  std::string cap_reached;  // Which, in words, if one was.
  std::string rule_met;     // Likewise.
  Progress progress;
  bool is_confirmed = false;              // The best node, by the full tier.
  std::optional<Rival> rival;             // Of the best node.
  std::optional<store::Baseline> expert;  // If it was judged for the report.
};

}  // namespace coppice::engine
