// What a campaign has judged beside its attempts: the root, nodes that are not
// decided, those that people ask for, and at the end who leads.
#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/campaign/campaign.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/process_lock.h"
#include "engine/campaign/root_candidate.h"
#include "engine/process/clock.h"
#include "engine/steering/steering.h"
#include "eval/judge/same_task.h"
#include "store/read/history.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/records/tier.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

// Winners that are measured in the full tier at the end, until one stays first.
constexpr int kMostConfirmed = 5;

// A node that is inconclusive is measured again once so many others have been
// committed since one was, and before the campaign ends.
constexpr std::int64_t kSettleEvery = 5;

}  // namespace

Result<void> Campaign::MeasureRoot(Observer& observer) {
  TRY(turn, AwaitTurn());
  if (!turn) return {};
  TRY_DONE(live_tree_.CatchUp());
  if (live_tree_.nodes() > 0) return {};
  NodeRecord root;
  root.uuid = FreshUuid(clock_);
  root.candidate = RootCandidate(task_);
  EvaluationTurn on = queue_.Wait(task_, *root.candidate);
  TRY_ASSIGN(root.evaluation, on.Evaluate(task_, *root.candidate, Tier::kFast));
  if (root.evaluation.verdict != Verdict::kPassed) {
    return Fail(Errc::kCorrupt, task_.definition.name +
                                    ": its root does not pass (" +
                                    std::string(Name(root.evaluation.verdict)) +
                                    "): " + root.evaluation.log);
  }
  TRY_DONE(live_tree_.Commit(nullptr, root));
  Count(root.evaluation);
  TRY_DONE(Refresh());
  NoteTime();
  observer.OnCommit(progress_, root);
  return {};
}

// Whether one was.  Attempts are begun meanwhile, if there are other threads.
Result<bool> Campaign::JudgeAsked(std::unique_lock<std::mutex>& lock) {
  TRY(judgement, live_tree_.TakeJudgement());
  TellOfDirectives();
  if (!judgement) return false;
  lock.unlock();
  const auto judged = EvaluateAgain(judgement->node, Tier::kFull, *observer_,
                                    judgement->directive);
  lock.lock();
  // Another process may have been faster.
  if (!judged && judged.error().code != Errc::kBusy) {
    return tl::unexpected<Error>(judged.error());
  }
  TRY_DONE(live_tree_.CatchUp());
  TRY_DONE(live_tree_.EndJudgement(*judgement));
  TRY_DONE(Refresh());
  TellOfDirectives();
  return true;
}

// Whether one was, by whichever thread comes by: a kernel that may be right is
// of no use to anybody before it is decided.  It is before a decision that it
// may change, and the decisions before tell whether it is time, so that whoever
// goes on after a crash settles the same.
Result<bool> Campaign::SettleInPassing(std::unique_lock<std::mutex>& lock) {
  constexpr auto kNumber = static_cast<std::size_t>(Verdict::kInconclusive);
  const std::int64_t nodes = live_tree_.nodes();
  if (is_settling_ || live_tree_.verdicts()[kNumber] == 0 ||
      nodes < kSettleEvery ||
      live_tree_.decisions() >= row_.spec.budget_attempts) {
    return false;
  }
  TRY(seen,
      store::Attempts(database_).FurtherSeen(row_.id, nodes - kSettleEvery));
  if (seen < live_tree_.further()) return false;
  TRY(undecided, store::Nodes(database_).ReadUndecided(row_.id));
  if (undecided.empty() || undecided.front().evaluations >= kMostEvaluations) {
    return false;
  }
  is_settling_ = true;
  lock.unlock();
  const auto settled = Settle(undecided.front().node, *observer_);
  lock.lock();
  is_settling_ = false;
  TRY_DONE(settled);
  return true;
}

Result<void> Campaign::Settle(NodeId undecided, Observer& observer) {
  TRY_DONE(EvaluateAgain(undecided, Tier::kFast, observer));
  const std::lock_guard lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  return Refresh();
}

Result<void> Campaign::EvaluateAgain(NodeId id, Tier tier, Observer& observer,
                                     std::optional<DirectiveId> asked) {
  store::Nodes nodes(database_);
  std::unique_lock lock(live_tree_.mutex());
  observer.OnConfirm(progress_, id);
  TRY(node, nodes.Load(row_.id, id));
  lock.unlock();
  EvaluationTurn turn = queue_.Wait(task_, *node.candidate);
  TRY(evaluation, turn.Evaluate(task_, *node.candidate, tier));
  lock.lock();
  Count(evaluation);
  ++progress_.judged_again;
  return nodes.AddEvaluation(row_.id, id, evaluation, clock_.UnixSeconds(),
                             asked);
}

// REQUIRES: nobody else counts now.
void Campaign::Count(const Evaluation& evaluation) {
  for (const WorkloadResult& workload : evaluation.workloads) {
    progress_.made_again += workload.discarded_samples;
  }
}

// The fastest of many noisy measurements is fast by luck as well, so whoever
// leads is measured in the longer full tier, until one that was still leads.
Result<Ending> Campaign::Confirm(Observer& observer) {
  TRY(turn, AwaitTurn());
  if (!turn) return Ending::kDrained;
  TRY(undecided, store::Nodes(database_).ReadUndecided(row_.id));
  // By number, whatever was done of it before a crash.
  std::ranges::sort(undecided, {}, &store::Nodes::Undecided::node);
  for (const auto& [node, evaluations] : undecided) {
    for (std::int64_t i = evaluations; i < kMostEvaluations; ++i) {
      if (IsDraining()) return Ending::kDrained;
      TRY_DONE(Settle(node, observer));
      constexpr auto kOpen = Verdict::kInconclusive;
      if (live_tree_.Node(node).verdict != kOpen) break;
    }
  }
  for (int i = 0; i < kMostConfirmed; ++i) {
    TRY(leaders, store::ReadLeaders(database_, row_.id, 1));
    const store::Leader& first = leaders.front();
    if (first.is_confirmed || first.line.node == kRootNode) break;
    if (IsDraining()) return Ending::kDrained;
    TRY_DONE(EvaluateAgain(first.line.node, Tier::kFull, observer));
  }
  TRY_DONE(live_tree_.CatchUp());
  TRY_DONE(Refresh());
  return Ending::kBudgetSpent;
}

// The last node tells, so that every process knows, also after a crash.
Result<bool> Campaign::EndsWithNothingLeft() {
  const NodeId last{live_tree_.nodes() - 1};
  if (live_tree_.Node(last).verdict != Verdict::kNoCandidate) return false;
  TRY(node, store::Nodes(database_).Load(row_.id, last));
  return node.evaluation.log == kNothingLeft;
}

}  // namespace coppice::engine
