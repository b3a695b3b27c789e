#include "engine/compare/confirm_winner.h"

#include <optional>

#include "engine/compare/score.h"
#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/read/progress_curve.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

// The incumbent, unless it has passed the full tier.
Result<std::optional<NodeId>> Unproven(store::Database& database,
                                       CampaignId campaign,
                                       const Budget& budget) {
  TRY(course, store::ReadProgressCurve(database, campaign));
  const auto incumbent = Incumbent(course, budget);
  if (!incumbent || course[*incumbent].is_proven) {
    return std::optional<NodeId>();
  }
  return std::optional(NodeId{static_cast<std::int64_t>(*incumbent)});
}

}  // namespace

Result<bool> ConfirmWinner(
    const std::function<Result<eval::Evaluator*>()>& evaluator,
    const Task& task, store::Database& database, CampaignId campaign,
    const Budget& budget, const Clock& clock,
    const std::atomic<bool>& draining) {
  store::Nodes nodes(database);
  for (int i = 0; i < kMostRefuted; ++i) {
    TRY(unproven, Unproven(database, campaign, budget));
    if (!unproven) return true;
    if (draining) return false;
    TRY(node, nodes.Load(campaign, *unproven));
    TRY(judge, evaluator());
    TRY(evaluation, judge->Evaluate(task, *node.candidate, Tier::kFull));
    TRY_DONE(nodes.AddEvaluation(campaign, *unproven, evaluation,
                                 clock.UnixSeconds()));
    if (evaluation.verdict == Verdict::kInconclusive) return true;
  }
  return true;
}

}  // namespace coppice::engine
