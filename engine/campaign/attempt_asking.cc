// The stages of an attempt that agents answer.
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "agents/prompt/grounded_instructions.h"
#include "engine/campaign/agent.h"
#include "engine/campaign/agent_choice.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/ask.h"
#include "engine/campaign/attempt.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/question.h"
#include "engine/steering/constraints.h"
#include "store/records/attempt.h"
#include "store/write/calls.h"

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

Result<RulesInForce> ReadRules(LiveTree& live_tree,
                               const AttemptRecord& attempt) {
  const std::lock_guard lock(live_tree.mutex());
  return live_tree.RulesOn(attempt);
}

}  // namespace

AttemptRunner::AttemptRunner(const CampaignParts& parts, CampaignId campaign,
                             std::uint64_t seed,
                             const AgentContext& agent_context,
                             EvaluationQueue& queue, Proof proof)
    : parts_(parts),
      database_(parts.database),
      task_(parts.task),
      clock_(parts.clock),
      tuning_trials_(parts.tuning_trials),
      campaign_(campaign),
      seed_(seed),
      agent_context_(agent_context),
      live_tree_(agent_context.live_tree),
      queue_(queue),
      proof_(proof) {}

struct AttemptRunner::Reading {
  AnsweredCall answer;
  std::string fault;  // Why nothing can be made of it; empty: it was read.
};

// What is made of an answer; if that cannot be read, of another one.  Then the
// fault is that of both.
Result<AttemptRunner::Reading> AttemptRunner::AskFor(
    Role role, const AttemptRecord& attempt, const NodeRecord& parent,
    const std::function<Result<void>(const std::string&)>& read) {
  store::Calls calls(database_);
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
                                 const NodeRecord& parent,
                                 const std::string& parent_source) {
  TRY(rules, ReadRules(live_tree_, attempt));
  coppice::Plan plan;
  TRY(reading, AskFor(Role::kPlan, attempt, parent,
                      [&](const std::string& text) -> Result<void> {
                        TRY_ASSIGN(plan, agents::ParsePlanAnswer(
                                             text, parent_source,
                                             parts_.request_options.grounding));
                        return Keeps(WhyPlanBreaks(rules.in_force, plan));
                      }));
  const auto& [answer, fault] = reading;
  store::Calls calls(database_);
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
  TRY(rules, ReadRules(live_tree_, attempt));
  std::string source;
  TRY(reading, AskFor(role, attempt, parent,
                      [&](const std::string& text) -> Result<void> {
                        TRY_ASSIGN(source, agents::ParseCodeAnswer(text));
                        return Keeps(WhySourceBreaks(
                            rules.in_force, {task_.root.language, source, ""}));
                      }));
  const auto& [answer, fault] = reading;
  attempt.stage = Stage::kCoded;
  store::Calls calls(database_);
  if (!fault.empty()) {
    attempt.no_candidate_reason = fault;
    const std::lock_guard lock(live_tree_.mutex());
    return calls.EndWithoutCandidate(answer.call, answer.end, fault);
  }
  if (attempt.plan) {
    attempt.footprint =
        agents::MeasureEdits(attempt.plan->annotated_source, source);
  }
  attempt.candidate = Candidate{task_.root.language, std::move(source),
                                task_.root.entry_symbol};
  const std::lock_guard lock(live_tree_.mutex());
  return calls.EndWithCandidate(answer.call, answer.end, *attempt.candidate,
                                attempt.footprint);
}

}  // namespace coppice::engine
