#include "engine/campaign/attempt.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/campaign/agent_choice.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/cut.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/tuning.h"
#include "engine/process/clock.h"
#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/write/nodes.h"

namespace coppice::engine {

AttemptRunner::~AttemptRunner() = default;

Result<NodeRecord> AttemptRunner::Run(AttemptRecord& attempt) {
  const auto load = [&] {
    const std::lock_guard lock(live_tree_.mutex());
    return store::Nodes(database_).Load(campaign_, attempt.reservation.parent);
  };
  TRY(parent, load());
  if (attempt.reservation.is_inserted) return Evaluate(attempt);
  Role role = RoleFor(parts_.agents, attempt.stage, parent.worth.verdict);
  // The failed plan stays the node's (STARK, algorithm 1, line 9).
  if (role == Role::kDebug) attempt.plan = parent.plan;
  if (role == Role::kPlan) {
    if (attempt.stage < Stage::kPlanned) {
      TRY_DONE(Plan(attempt, parent, parent.candidate->source));
    }
    role = Role::kCode;
  }
  if (attempt.stage < Stage::kCoded) TRY_DONE(Write(role, attempt, parent));
  return Evaluate(attempt);
}

// REQUIRES: it is its turn.
Result<Evaluation> AttemptRunner::EvaluateNow(const Candidate& candidate,
                                              Tier tier) {
  const auto evaluate = [&] { return turn_->Evaluate(task_, candidate, tier); };
  if (agent_context_.cut == nullptr) return evaluate();
  return EvaluateUntil(agent_context_.stop, *agent_context_.cut,
                       agent_context_.cancel, evaluate);
}

// Whether a node is inconclusive, and not for good.
Result<bool> AttemptRunner::IsOpen(NodeId node) {
  TRY(undecided, store::Nodes(database_).ReadUndecided(campaign_));
  return std::ranges::any_of(undecided, [&](const auto& each) {
    return each.node == node && each.evaluations < kMostEvaluations;
  });
}

// Whether a node of the same tokens was judged, which this one then is the same
// as; or whether they were tuned, and then it is what came of them.  If that
// could not be decided then, it is tried again: the evaluation comes with this
// node, and its commit leaves it to that one, so that a crash in between makes
// none twice.  What came of tuning is not what was written here, so it waits
// until it is settled.
Result<bool> AttemptRunner::IsKnown(NodeRecord& node) {
  store::Nodes nodes(database_);
  std::unique_lock lock(live_tree_.mutex());
  TRY_ASSIGN(node.same_as, nodes.FindEqual(campaign_, *node.candidate));
  if (!node.same_as) {
    TRY(tuned, nodes.FindTuned(campaign_, *node.candidate));
    if (!tuned) return false;
    TRY(known, nodes.Load(campaign_, *tuned));
    node.candidate = std::move(known.candidate);
    node.same_as = known.same_as.value_or(*tuned);
    return true;
  }
  TRY(is_open, IsOpen(*node.same_as));
  if (!is_open) return true;
  node.same_as.reset();
  if (turn_ == nullptr) return false;
  lock.unlock();
  TRY_ASSIGN(node.evaluation, EvaluateNow(*node.candidate, Tier::kFast));
  return true;
}

// Who asks to stop has it tuned anew later: fewer trials would make another
// node of it.
Result<void> AttemptRunner::TuneCandidate(NodeRecord& node) {
  if (tuning_trials_ == 0 || !node.evaluation.speedup ||
      node.candidate->language == Language::kSim) {
    return {};
  }
  const std::string written = node.candidate->source;
  const auto parameters = TuningParametersOf(written);
  if (!parameters) {
    std::string& log = node.evaluation.log;
    if (!log.empty() && !log.ends_with('\n')) log += '\n';
    log += "not tuned: " + parameters.error().what + "\n";
    return {};
  }
  if (parameters->empty()) return {};
  TRY(tuned, Tune(*node.candidate, *parameters, std::move(node.evaluation),
                  tuning_trials_,
                  [&](const Candidate& configured) -> Result<Evaluation> {
                    if (agent_context_.cancel != nullptr &&
                        agent_context_.cancel->load()) {
                      return Fail(Errc::kCancelled, "tuning was stopped");
                    }
                    return EvaluateNow(configured, Tier::kFast);
                  }));
  for (const TuningTrial& trial : tuned.trials) {
    const Evaluation& made = trial.evaluation;
    node.trials.push_back({ConfigurationText(*parameters, trial.configuration),
                           made.verdict, made.speedup,
                           made.compile_s + made.check_s + made.timing_s});
  }
  node.trials[tuned.best].is_chosen = true;
  TuningTrial& best = tuned.trials[tuned.best];
  node.candidate->source = Configured(written, *parameters, best.configuration);
  node.evaluation = std::move(best.evaluation);
  return {};
}

Result<bool> AttemptRunner::WouldLead(const Evaluation& evaluation) const {
  if (!evaluation.speedup) return false;
  const std::lock_guard lock(live_tree_.mutex());
  return live_tree_.WouldLead(*evaluation.speedup);
}

Result<NodeRecord> AttemptRunner::Evaluate(const AttemptRecord& attempt) {
  NodeRecord node;
  node.uuid = FreshUuid(clock_);
  node.parent = attempt.reservation.parent;
  node.candidate = attempt.candidate;
  node.plan = attempt.plan;
  node.footprint = attempt.footprint;
  if (!attempt.candidate) {
    node.evaluation.verdict = Verdict::kNoCandidate;
    node.evaluation.log = attempt.no_candidate_reason;
    return node;
  }
  TRY(is_known_at_once, IsKnown(node));
  if (is_known_at_once) return node;
  turn_.reset(new EvaluationTurn(
      queue_.Wait(task_, *attempt.candidate, agent_context_.stop)));
  TRY(is_known_now, IsKnown(node));
  if (is_known_now) return node;
  const auto judge = [&](Tier tier) {
    return EvaluateNow(*node.candidate, tier);
  };
  TRY_ASSIGN(node.evaluation, judge(Tier::kFast));
  TRY_DONE(TuneCandidate(node));
  if (proof_ == Proof::kNone) return node;
  TRY(would_lead, WouldLead(node.evaluation));
  if (would_lead) {
    TRY(proof, judge(Tier::kFull));
    node.screening = std::exchange(node.evaluation, std::move(proof));
  }
  return node;
}

}  // namespace coppice::engine
