#include "engine/verification.h"

#include <algorithm>
#include <utility>

#include "store/history.h"
#include "store/nodes.h"

namespace coppice::engine {
namespace {

// The first of the leading `top` that is not among those done.
Result<std::optional<NodeId>> Next(store::Database& database,
                                   CampaignId campaign, std::size_t top,
                                   const std::vector<Verified>& done) {
  TRY(leaders, store::ReadLeaders(database, campaign));
  std::erase(leaders, kRootNode);
  if (leaders.size() > top) leaders.resize(top);
  for (const NodeId leader : leaders) {
    if (std::ranges::find(done, leader, &Verified::node) == done.end()) {
      return std::optional(leader);
    }
  }
  return std::optional<NodeId>();
}

}  // namespace

Result<Verification> VerifyLeaders(eval::Evaluator& evaluator, const Task& task,
                                   store::Database& database,
                                   CampaignId campaign, std::size_t top,
                                   const Clock& clock,
                                   const std::atomic<bool>& drain,
                                   const std::function<void(NodeId)>& begins) {
  store::Nodes nodes(database);
  Verification verification;
  while (true) {
    TRY(next, Next(database, campaign, top, verification.nodes));
    if (!next) return verification;
    if (drain.load()) {
      verification.is_cut = true;
      return verification;
    }
    begins(*next);
    TRY(node, nodes.Load(campaign, *next));
    TRY(evaluation, evaluator.Evaluate(task, *node.candidate, Tier::kFull));
    TRY_DONE(
        nodes.AddEvaluation(campaign, *next, evaluation, clock.UnixSeconds()));
    const Evaluation& before = node.evaluation;
    verification.nodes.push_back({*next,
                                  *before.root_runtime_s / *before.runtime_s,
                                  std::move(evaluation)});
  }
}

}  // namespace coppice::engine
