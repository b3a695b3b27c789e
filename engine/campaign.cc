#include <algorithm>
#include <utility>
#include <vector>

#include "engine/attempt.h"
#include "engine/campaign.h"
#include "engine/lease_keeper.h"
#include "eval/same_task.h"
#include "store/history.h"
#include "store/nodes.h"

namespace coppice::engine {
namespace {

// Elapsed time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

constexpr std::size_t kConfirmed = 2;  // Leaders that need the full tier.

NodeSummary Summary(const NodeRecord& node) {
  NodeSummary summary;
  summary.id = node.id;
  summary.parent = node.parent;
  summary.verdict = node.evaluation.verdict;
  summary.runtime_s = node.evaluation.runtime_s;
  if (node.candidate) {
    summary.source_hash = store::SourceHash(node.candidate->source);
  }
  return summary;
}

}  // namespace

Candidate RootCandidate(const Task& task) {
  return {task.root.language, eval::SourceOf(task.root),
          task.root.entry_symbol};
}

double Speedup(const Confirmation& confirmation) {
  return confirmation.root_runtime_s / confirmation.runtime_s;
}

Campaign::Campaign(const Parts& parts, store::CampaignRow row, Options options)
    : parts_(parts),
      row_(std::move(row)),
      options_(std::move(options)),
      owner_(ToString(FreshUuid(parts.clock))),
      tree_(parts.policy.Rule()) {
  progress_.campaign = row_.spec.name;
  progress_.budget_attempts = row_.spec.budget_attempts;
}

Result<Ending> Campaign::Run(Observer& observer) {
  started_ = parts_.clock.Monotonic();
  const LeaseKeeper keeper(options_.database, row_.id, owner_, options_.lease_s,
                           parts_.clock);
  TRY_DONE(Account(store::CampaignState::kRunning));
  TRY_DONE(Rebuild());
  if (tree_.Size() == 0) TRY_DONE(MeasureRoot(observer));

  store::Attempts attempts(parts_.database);
  TRY(unfinished, attempts.Unfinished(row_.id));
  for (const AttemptRecord& attempt : unfinished) {
    tree_.BeginAttempt(attempt.reservation.parent);
    // Whoever held it is dead: this process has the campaign's run lock.
    const double now = parts_.clock.UnixSeconds();
    TRY_DONE(attempts.Adopt(attempt.id, owner_, now, now + options_.lease_s,
                            attempt.reservation.lease_owner));
  }
  for (AttemptRecord& attempt : unfinished) {
    TRY_DONE(RunAttempt(std::move(attempt), observer));
  }

  while (BudgetLeft()) {
    if (IsDraining()) return Drained();
    TRY(attempt, Reserve());
    TRY_DONE(RunAttempt(std::move(attempt), observer));
    NoteTime();
    if (parts_.clock.Monotonic() - started_ - accounted_ > kAccountEvery_s) {
      TRY_DONE(Account(store::CampaignState::kRunning));
    }
  }
  if (options_.confirm) {
    TRY(ending, Confirm(observer));
    if (ending == Ending::kDrained) return Drained();
  }
  TRY_DONE(Account(store::CampaignState::kFinished));
  return Ending::kBudgetSpent;
}

Result<void> Campaign::Rebuild() {
  store::Nodes nodes(parts_.database);
  TRY_DONE(nodes.Scan(row_.id, [this](const NodeSummary& node) {
    tree_.Add(node);
    Note(node);
  }));
  next_decision_ = row_.attempts;
  NoteTime();
  return {};
}

Result<void> Campaign::MeasureRoot(Observer& observer) {
  NodeRecord root;
  root.id = kRootNode;
  root.uuid = FreshUuid(parts_.clock);
  root.candidate = RootCandidate(parts_.task);
  TRY(evaluation,
      parts_.evaluator.Evaluate(parts_.task, *root.candidate, Tier::kFast));
  root.evaluation = std::move(evaluation);
  if (root.evaluation.verdict != Verdict::kPassed) {
    return Fail(Errc::kCorrupt, parts_.task.definition.name +
                                    ": its root does not pass (" +
                                    std::string(Name(root.evaluation.verdict)) +
                                    "): " + root.evaluation.log);
  }
  store::Nodes nodes(parts_.database);
  TRY_DONE(
      nodes.Commit(row_.id, std::nullopt, root, parts_.clock.UnixSeconds()));
  tree_.Add(Summary(root));
  Note(Summary(root));
  NoteTime();
  observer.OnCommit(progress_, root);
  return {};
}

Result<AttemptRecord> Campaign::Reserve() {
  RandomStream stream(row_.spec.seed, Purpose::kSelect,
                      static_cast<std::uint64_t>(next_decision_));
  search::Selection selection = parts_.policy.Select(tree_, stream);
  const double now = parts_.clock.UnixSeconds();
  AttemptRecord attempt;
  attempt.reservation.uuid = FreshUuid(parts_.clock);
  attempt.reservation.decision = next_decision_;
  attempt.reservation.parent = selection.node;
  attempt.reservation.policy = parts_.policy.Name();
  attempt.reservation.reason = std::move(selection.reason);
  attempt.reservation.lease_owner = owner_;
  attempt.reservation.lease_until_s = now + options_.lease_s;
  attempt.reservation.reserved_at_s = now;
  attempt.reservation.nodes_seen = tree_.Size();
  store::Attempts attempts(parts_.database);
  TRY(id, attempts.Reserve(row_.id, attempt.reservation));
  attempt.id = id;
  ++next_decision_;
  tree_.BeginAttempt(selection.node);
  return attempt;
}

Result<void> Campaign::RunAttempt(AttemptRecord attempt, Observer& observer) {
  const NodeId parent = attempt.reservation.parent;
  AttemptRunner runner(parts_, row_.id, row_.spec.seed, tree_,
                       options_.confirm ? Proof::kFullTier : Proof::kNone);
  TRY(node, runner.Run(std::move(attempt)));
  tree_.EndAttempt(parent);
  tree_.Add(Summary(node));
  Note(Summary(node));
  ++committed_here_;
  NoteTime();
  observer.OnCommit(progress_, node);
  return {};
}

// The fastest of many noisy measurements is fast by luck as well, so what is
// reported of the first leaders is what the longer full tier found.  Which of
// them wins is not known before all of them had it.
Result<Ending> Campaign::Confirm(Observer& observer) {
  TRY(leaders, store::ReadLeaders(parts_.database, row_.id));
  std::erase(leaders, kRootNode);
  if (leaders.size() > kConfirmed) leaders.resize(kConfirmed);
  Confirmation winner{kRootNode, *progress_.root_runtime_s,
                      *progress_.root_runtime_s};
  for (const NodeId leader : leaders) {
    if (IsDraining()) return Ending::kDrained;
    TRY(confirmed, ConfirmNode(leader, observer));
    if (confirmed && Speedup(*confirmed) > Speedup(winner)) winner = *confirmed;
  }
  confirmation_ = winner;
  progress_.best = winner.node;
  progress_.best_speedup = Speedup(winner);
  return Ending::kBudgetSpent;
}

// An evaluation of the full tier that is stored already is not made again.
Result<std::optional<Confirmation>> Campaign::ConfirmNode(NodeId id,
                                                          Observer& observer) {
  TRY(evaluations, store::ReadEvaluations(parts_.database, row_.id, id));
  const auto is_full = [](const Evaluation& evaluation) {
    return evaluation.tier == Tier::kFull;
  };
  if (std::ranges::none_of(evaluations, is_full)) {
    observer.OnConfirm(progress_, id);
    store::Nodes nodes(parts_.database);
    TRY(node, nodes.Load(row_.id, id));
    TRY(evaluation,
        parts_.evaluator.Evaluate(parts_.task, *node.candidate, Tier::kFull));
    TRY_DONE(nodes.AddEvaluation(row_.id, id, evaluation,
                                 parts_.clock.UnixSeconds()));
    evaluations.push_back(std::move(evaluation));
  }
  const Evaluation& last =
      *std::find_if(evaluations.rbegin(), evaluations.rend(), is_full);
  if (!last.runtime_s || !last.root_runtime_s) return std::nullopt;
  return Confirmation{id, *last.root_runtime_s, *last.runtime_s};
}

Result<void> Campaign::Account(store::CampaignState state) {
  const double since = parts_.clock.Monotonic() - started_;
  store::Campaigns campaigns(parts_.database);
  TRY_DONE(campaigns.Update(row_.id, state, since - accounted_,
                            parts_.clock.UnixSeconds()));
  accounted_ = since;
  return {};
}

bool Campaign::IsDraining() const {
  return options_.drain != nullptr && options_.drain->load();
}

Result<Ending> Campaign::Drained() {
  TRY_DONE(Account(store::CampaignState::kPaused));
  return Ending::kDrained;
}

bool Campaign::BudgetLeft() const {
  if (next_decision_ >= row_.spec.budget_attempts) return false;
  if (!row_.spec.budget_s) return true;
  const double here = parts_.clock.Monotonic() - started_;
  return row_.elapsed_s + here < *row_.spec.budget_s;
}

void Campaign::Note(const NodeSummary& node) {
  if (node.id == kRootNode) {
    progress_.root_runtime_s = node.runtime_s;
    progress_.best = kRootNode;
    return;
  }
  ++progress_.attempts;
  ++progress_.verdicts.at(static_cast<std::size_t>(node.verdict));
  const NodeId best = tree_.Best().value_or(kRootNode);
  if (best != node.id) return;
  progress_.best = best;
  progress_.best_speedup = *progress_.root_runtime_s / *node.runtime_s;
}

void Campaign::NoteTime() {
  const double here = parts_.clock.Monotonic() - started_;
  progress_.elapsed_s = row_.elapsed_s + here;
  if (committed_here_ == 0) return;
  const auto left =
      static_cast<double>(row_.spec.budget_attempts - progress_.attempts);
  double left_s = here / static_cast<double>(committed_here_) * left;
  if (row_.spec.budget_s) {
    left_s = std::min(left_s, *row_.spec.budget_s - progress_.elapsed_s);
  }
  progress_.left_s = std::max(left_s, 0.0);
}

}  // namespace coppice::engine
