#include "engine/campaign/attempt.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "agents/prompt/grounded_instructions.h"
#include "config/settings.h"
#include "engine/campaign/agent.h"
#include "engine/campaign/ask.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/cut.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/question.h"
#include "engine/campaign/tuning.h"
#include "engine/process/clock.h"
#include "engine/steering/constraints.h"
#include "engine/steering/steering.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/write/calls.h"
#include "store/write/directives.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

// Half an answer is not read: half a kernel is none.
Result<std::string> WholeText(const CallEnd& end) {
  if (!end.error.empty()) return Fail(Errc::kCorrupt, end.error);
  return end.answer;
}

// An answer that breaks a person's rule cannot be used.
Result<void> Keeps(const std::optional<std::string>& breach) {
  if (!breach) return {};
  return Fail(Errc::kUsage, std::string(kBrokeRule) + *breach);
}

}  // namespace

// By the decision of the attempt, whatever people have asked since.
Result<void> AttemptRunner::ReadRules(const AttemptRecord& attempt) {
  const std::lock_guard lock(live_tree_.mutex());
  TRY_ASSIGN(directives_, store::ReadDirectives(parts_.database, campaign_));
  const search::Tree& tree = live_tree_.tree();
  rules_ = RulesFor(InForce(directives_, attempt.reservation.decision),
                    attempt.reservation.parent, [&](NodeId node, NodeId top) {
                      return tree.IsWithin(node, top);
                    });
  return {};
}

Result<NodeRecord> AttemptRunner::Run(AttemptRecord& attempt) {
  const auto load = [&] {
    const std::lock_guard lock(live_tree_.mutex());
    return store::Nodes(parts_.database)
        .Load(campaign_, attempt.reservation.parent);
  };
  TRY(parent, load());
  if (attempt.reservation.is_inserted) return Evaluate(attempt);
  TRY_DONE(ReadRules(attempt));
  // A parent that passed when the plan was made may be in quarantine since.
  const bool is_planned = attempt.stage == Stage::kPlanned;
  const bool is_alone = parts_.agents == config::Agents::kAlone;
  if (is_alone || is_planned || parent.worth.verdict == Verdict::kPassed) {
    if (attempt.stage < Stage::kPlanned && !is_alone) {
      TRY_DONE(Plan(attempt, parent));
    }
    if (attempt.stage < Stage::kCoded) {
      TRY_DONE(Write(Role::kCode, attempt, parent));
    }
  } else {
    // The failed plan stays the node's (STARK, algorithm 1, line 9).
    attempt.plan = parent.plan;
    if (attempt.stage < Stage::kCoded) {
      TRY_DONE(Write(Role::kDebug, attempt, parent));
    }
  }
  return Evaluate(attempt);
}

struct AttemptRunner::Reading {
  AnsweredCall answer;
  std::string fault;  // Why nothing can be made of it; empty: it was read.
};

// What is made of an answer; if that cannot be read, of another one.  Then the
// fault is that of both.
Result<AttemptRunner::Reading> AttemptRunner::AskFor(
    Role role, const AttemptRecord& attempt, const NodeRecord& parent,
    const std::function<Result<void>(const std::string&)>& read) {
  store::Calls calls(parts_.database);
  const auto last_rejected = [&] {
    const std::lock_guard lock(live_tree_.mutex());
    return calls.LastRejected(attempt.id, role);
  };
  TRY(rejected, last_rejected());
  TRY(agent, AgentOf(parts_, role, attempt));
  while (true) {
    TRY(answer, Ask(parts_, agent_context_,
                    {role, campaign_, seed_, attempt, parent, rejected, read}));
    const auto done = WholeText(answer.end).and_then(read);
    if (done) return Reading{std::move(answer), ""};
    const std::string fault = done.error().what;
    const bool is_last = rejected || agent->sessions != nullptr;
    if (is_last || !agent->is_language_model) {
      const bool is_at_end = fault == kNothingLeft;
      return Reading{
          std::move(answer),
          is_at_end ? fault : std::string(Name(role)) + " agent: " + fault};
    }
    rejected = store::Rejected{answer.end.answer, fault};
    answer.end.error = fault;
    const std::lock_guard lock(live_tree_.mutex());
    TRY_DONE(calls.End(answer.call, answer.end));
  }
}

Result<void> AttemptRunner::Plan(AttemptRecord& attempt,
                                 const NodeRecord& parent) {
  coppice::Plan plan;
  TRY(reading, AskFor(Role::kPlan, attempt, parent,
                      [&](const std::string& text) -> Result<void> {
                        TRY_ASSIGN(plan, agents::ParsePlanAnswer(
                                             text, parent.candidate->source,
                                             parts_.request_options.grounding));
                        return Keeps(WhyPlanBreaks(rules_, plan));
                      }));
  const auto& [answer, fault] = reading;
  store::Calls calls(parts_.database);
  const std::lock_guard lock(live_tree_.mutex());
  if (!fault.empty()) {
    attempt.stage = Stage::kCoded;
    attempt.no_candidate_reason = fault;
    return calls.EndWithoutCandidate(answer.call, answer.end, fault);
  }
  TRY_DONE(calls.EndWithPlan(answer.call, answer.end, plan));
  attempt.stage = Stage::kPlanned;
  attempt.plan = std::move(plan);
  return {};
}

// The code agent realises the attempt's plan, or works without one if it is
// alone; the debug agent repairs the parent.
Result<void> AttemptRunner::Write(Role role, AttemptRecord& attempt,
                                  const NodeRecord& parent) {
  std::string source;
  TRY(reading, AskFor(role, attempt, parent,
                      [&](const std::string& text) -> Result<void> {
                        TRY_ASSIGN(source, agents::ParseCodeAnswer(text));
                        return Keeps(WhySourceBreaks(
                            rules_, {parts_.task.root.language, source, ""}));
                      }));
  const auto& [answer, fault] = reading;
  attempt.stage = Stage::kCoded;
  store::Calls calls(parts_.database);
  if (!fault.empty()) {
    attempt.no_candidate_reason = fault;
    const std::lock_guard lock(live_tree_.mutex());
    return calls.EndWithoutCandidate(answer.call, answer.end, fault);
  }
  if (attempt.plan) {
    attempt.footprint =
        agents::MeasureEdits(attempt.plan->annotated_source, source);
  }
  attempt.candidate = Candidate{parts_.task.root.language, std::move(source),
                                parts_.task.root.entry_symbol};
  const std::lock_guard lock(live_tree_.mutex());
  return calls.EndWithCandidate(answer.call, answer.end, *attempt.candidate,
                                attempt.footprint);
}

// REQUIRES: it is its turn.
Result<Evaluation> AttemptRunner::EvaluateNow(const Candidate& candidate,
                                              Tier tier) {
  const auto evaluate = [&] {
    return turn_->Evaluate(parts_.task, candidate, tier);
  };
  if (agent_context_.cut == nullptr) return evaluate();
  return EvaluateUntil(agent_context_.stop, *agent_context_.cut,
                       agent_context_.cancel, evaluate);
}

// Whether a node is inconclusive, and not for good.
Result<bool> AttemptRunner::IsOpen(NodeId node) {
  TRY(undecided, store::Nodes(parts_.database).ReadUndecided(campaign_));
  return std::ranges::any_of(undecided, [&](const auto& each) {
    return each.node == node && each.evaluations < kMostEvaluations;
  });
}

// Whether a node of the same tokens was judged, which this one then is the same
// as; or whether they were tuned, and then it is what came of them.  If that
// could not be decided then, it is tried again first.
Result<bool> AttemptRunner::IsKnown(NodeRecord& node) {
  store::Nodes nodes(parts_.database);
  std::unique_lock lock(live_tree_.mutex());
  TRY(equal, nodes.FindEqual(campaign_, *node.candidate));
  if (!equal) {
    TRY(tuned, nodes.FindTuned(campaign_, *node.candidate));
    if (!tuned) return false;
    TRY(known, nodes.Load(campaign_, *tuned));
    node.candidate = std::move(known.candidate);
    equal = known.same_as.value_or(*tuned);
  }
  TRY(is_open, IsOpen(*equal));
  if (is_open) {
    if (turn_ == nullptr) return false;
    lock.unlock();
    TRY(evaluation, EvaluateNow(*node.candidate, Tier::kFast));
    lock.lock();
    TRY_DONE(nodes.AddEvaluation(campaign_, *equal, evaluation,
                                 parts_.clock.UnixSeconds()));
  }
  node.same_as = equal;
  return true;
}

// Who asks to stop has it tuned anew later: fewer trials would make another
// node of it.
Result<void> AttemptRunner::TuneCandidate(NodeRecord& node) {
  if (parts_.tuning_trials == 0 || !node.evaluation.speedup ||
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
                  parts_.tuning_trials,
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
  node.uuid = FreshUuid(parts_.clock);
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
  turn_.reset(new EvaluationQueue::Turn(
      queue_.Wait(parts_.task, *attempt.candidate, agent_context_.stop)));
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
