#include "engine/campaign/verification.h"

#include <algorithm>
#include <utility>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/task.h"
#include "store/records/tier.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

// The first of the leading `top` that is not among those done.
Result<std::optional<NodeId>> Next(store::Database& database,
                                   CampaignId campaign, std::size_t top,
                                   const std::vector<Verified>& done) {
  TRY(leaders,
      store::ReadLeaders(database, campaign, static_cast<int>(top) + 1));
  std::erase_if(leaders, [](const store::Leader& leader) {
    return leader.line.node == kRootNode;
  });
  if (leaders.size() > top) leaders.resize(top);
  for (const store::Leader& leader : leaders) {
    const NodeId node = leader.line.node;
    if (std::ranges::find(done, node, &Verified::node) == done.end()) {
      return std::optional(node);
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
    TRY(after, nodes.Load(campaign, *next));
    verification.nodes.push_back(
        {*next, *node.worth.speedup, after.worth, std::move(evaluation)});
  }
}

}  // namespace coppice::engine
