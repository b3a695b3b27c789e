#include "engine/campaign/prompt_standing.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "engine/campaign/prompt_facts.h"
#include "search/policies/xei.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/profile.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

// Describes the machine that the selected node was measured on, since the next
// one will most likely be, too.  What is measured anew by each process is taken
// from the root: a prompt's beginning shall not change from call to call.
void DescribeMachine(const CampaignFacts& campaign_facts,
                     const Evaluation& selected, const Evaluation& root,
                     agents::PromptContext& context) {
  const Environment& where = selected.environment;
  context.hardware =
      where.hardware.empty() ? campaign_facts.hardware : where.hardware;
  context.hardware_facts = where.facts;
  context.threads = campaign_facts.threads;
  context.has_gpu = root.environment.flags.starts_with("cuda");
  context.libraries = root.environment.libraries;
  if (root.environment.hardware != context.hardware) return;
  for (const WorkloadResult& result : root.workloads) {
    if (!result.profile) continue;
    context.roof_bytes_per_s = result.profile->roof_bytes_per_s;
    context.roof_flops_per_s = result.profile->roof_flops_per_s;
    return;
  }
}

// The geometric mean over workloads, as speedups are.  None if a workload's
// floor is not known.
std::optional<double> CeilingOver(const Evaluation& root) {
  double sum = 0.0;
  for (const WorkloadResult& result : root.workloads) {
    const double floor_s = result.profile ? FloorSeconds(*result.profile) : 0.0;
    if (floor_s <= 0.0 || result.profile->runtime_s <= 0.0) return std::nullopt;
    sum += std::log(result.profile->runtime_s / floor_s);
  }
  if (root.workloads.empty()) return std::nullopt;
  return std::exp(sum / static_cast<double>(root.workloads.size()));
}

// The age at which xei_b takes an incumbent to be stagnant.
constexpr std::int64_t kPlateau = search::LeaveOptions{}.stagnation;

// Whether the best is told apart from what was the best so many attempts ago.
Result<std::int64_t> PlateauOf(const CampaignFacts& campaign_facts,
                               const AttemptFacts& attempt_facts,
                               const std::optional<Speedup>& best) {
  if (attempt_facts.nodes_seen <= kPlateau || !best) return 0;
  TRY(then, store::ReadBestOf(campaign_facts.database, campaign_facts.campaign,
                              attempt_facts.nodes_seen - kPlateau));
  if (!then.speedup) return 0;
  return Over(*best, *then.speedup).Sign() > 0 ? 0 : kPlateau;
}

Result<agents::SearchStanding> Stand(const CampaignFacts& campaign_facts,
                                     const AttemptFacts& attempt_facts,
                                     const Evaluation& root) {
  agents::SearchStanding standing;
  if (campaign_facts.budget > 0) {
    // One more than these may be asked for only with a budget that allows it.
    standing.budget =
        std::max(campaign_facts.budget, attempt_facts.decision + 1);
    standing.remaining = standing.budget - attempt_facts.decision;
  }
  TRY(leaders,
      store::ReadLeaders(campaign_facts.database, campaign_facts.campaign, 1));
  if (!leaders.empty()) {
    standing.best = leaders.front().line.node;
    standing.best_speedup = leaders.front().line.speedup;
  }
  TRY(plateau, PlateauOf(campaign_facts, attempt_facts, standing.best_speedup));
  standing.plateau = plateau;
  TRY(baselines,
      store::ReadBaselines(campaign_facts.database, campaign_facts.campaign));
  for (store::Baseline& baseline : baselines) {
    if (baseline.quoted || !baseline.speedup) continue;
    standing.yardsticks.push_back(
        {std::move(baseline.name), *baseline.speedup});
  }
  standing.ceiling = CeilingOver(root);
  return standing;
}

}  // namespace

Result<void> DescribeRoot(const CampaignFacts& campaign_facts,
                          const AttemptFacts& attempt_facts,
                          agents::Sighting sighting, const Evaluation& root,
                          agents::PromptContext& context) {
  context.root = std::move(sighting);
  DescribeMachine(campaign_facts, attempt_facts.selected.evaluation, root,
                  context);
  TRY(standing, Stand(campaign_facts, attempt_facts, root));
  context.standing = std::move(standing);
  return {};
}

}  // namespace coppice::engine
