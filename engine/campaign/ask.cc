#include "engine/campaign/ask.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "agents/provider/agent_session.h"
#include "agents/provider/model.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/model_picks.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/question.h"
#include "engine/campaign/session_opener.h"
#include "engine/process/clock.h"
#include "engine/steering/steering.h"
#include "store/records/attempt.h"
#include "store/records/candidate.h"
#include "store/records/node.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"
#include "store/write/nodes.h"
#include "store/write/settlement.h"

namespace coppice::engine {
namespace {

// Where a cap has no room for more, an answer may be so many times as long as
// the longest before it.
constexpr std::int64_t kRoom = 2;

// What the user has to mend, a key, a model's name, money, is kUsage.
bool MayAnswerLater(Errc code) {
  return code == Errc::kBusy || code == Errc::kTimeout ||
         code == Errc::kUnavailable || code == Errc::kFull;
}

// Null: none was, or it is there no more.
Result<const Agent*> ChosenAgent(const CampaignParts& parts, Role role,
                                 const AttemptRecord& attempt) {
  const auto& picks = attempt.reservation.picks;
  const auto pick = std::ranges::find(picks, role, &ModelPick::role);
  if (pick != picks.end() && IsNamed(*pick) && parts.named != nullptr) {
    return parts.named->Get(role, pick->model);
  }
  const auto roster = std::ranges::find(parts.rosters, role, &Roster::role);
  if (pick == picks.end() || roster == parts.rosters.end())
    return static_cast<const Agent*>(nullptr);
  const auto name = std::ranges::find(roster->names, pick->model);
  if (name == roster->names.end()) return static_cast<const Agent*>(nullptr);
  return &roster
              ->agents[static_cast<std::size_t>(name - roster->names.begin())];
}

// What the caps of the campaign leave; none: there is none of money.
Result<std::optional<double>> LeftByCaps(const CampaignParts& parts,
                                         const AgentContext& agent_context,
                                         CampaignId campaign) {
  const std::lock_guard lock(agent_context.live_tree.mutex());
  const auto& cap = agent_context.ledger.cap().usd;
  if (!cap) return std::optional<double>();
  TRY(used, store::ReadUsed(parts.database, campaign));
  return std::optional(*cap - used.usd);
}

// Where an agent works that has tools.
Result<std::unique_ptr<agents::AgentSession>> OpenSession(
    const CampaignParts& parts, const AgentContext& agent_context,
    const Question& question, const Agent& agent, CallId call,
    const CallIntent& intent) {
  TRY(left, LeftByCaps(parts, agent_context, question.campaign));
  const auto find = [&] {
    const std::lock_guard lock(agent_context.live_tree.mutex());
    return store::Campaigns(parts.database).Find(question.campaign);
  };
  TRY(campaign, find());
  return agent.sessions->Open(
      {parts.database, agent_context.live_tree.mutex(), parts.clock, parts.task,
       call, intent.uuid, question.attempt.reservation.uuid, question.role,
       campaign.spec.name,
       question.parent.candidate ? question.parent.candidate->source : "",
       question.attempt.reservation.parent,
       intent.system_prompt + "\n\n" + intent.user_prompt, left,
       question.accepts});
}

}  // namespace

Result<const Agent*> AgentOf(const CampaignParts& parts, Role role,
                             const AttemptRecord& attempt) {
  TRY(chosen, ChosenAgent(parts, role, attempt));
  if (chosen != nullptr) return chosen;
  switch (role) {
    case Role::kPlan:
      return &parts.plan;
    case Role::kCode:
      return &parts.code;
    case Role::kDebug:
      return &parts.debug;
  }
  return &parts.plan;
}

Result<AnsweredCall> Ask(const CampaignParts& parts,
                         const AgentContext& agent_context,
                         const Question& question) {
  TRY(chosen, AgentOf(parts, question.role, question.attempt));
  const Agent& agent = *chosen;
  const std::atomic<bool>* const cancel =
      agent.is_language_model ? agent_context.cancel : nullptr;
  if (cancel != nullptr && cancel->load()) {
    return Fail(Errc::kCancelled, "cancelled");
  }
  LiveTree& live_tree = agent_context.live_tree;
  const auto put = [&] {
    const std::lock_guard lock(live_tree.mutex());
    return Put(parts, agent_context, question);
  };
  TRY(matter, put());
  PromptInputs& prompt_inputs = matter.prompt_inputs;
  const agents::Prompt& prompt = matter.prompt;

  agents::ModelRequest request;
  request.role = question.role;
  request.sampling = agent.sampling;
  if (agent.is_language_model) {
    const std::lock_guard lock(live_tree.mutex());
    TRY(directives, store::ReadDirectives(parts.database, question.campaign));
    const auto wanted = FindTemperature(
        InForce(directives, question.attempt.reservation.decision),
        question.role);
    if (wanted) request.sampling.temperature = *wanted;
  }
  request.system_prompt = prompt.system;
  request.user_prompt = prompt.user;
  request.stable_prefix_bytes = prompt.stable_bytes;
  request.sample_index = question.attempt.reservation.decision;
  request.context = &prompt_inputs.context;

  prompt_inputs.context.is_known = [&](const std::string& source) {
    const std::lock_guard lock(live_tree.mutex());
    const auto equal =
        store::Nodes(parts.database)
            .FindEqual(question.campaign, {parts.task.root.language, source,
                                           parts.task.root.entry_symbol});
    // Where it cannot be told, the proposal is judged, or found equal later.
    return equal && *equal;
  };

  store::Calls calls(parts.database);
  const CallIntent intent =
      IntentOf(parts, question.role, agent.model->Provider(),
               agent.model->ModelName(), request.sample_index, prompt);
  request.name = ToString(intent.uuid);
  const auto begin = [&] {
    const std::lock_guard lock(live_tree.mutex());
    return calls.Begin(question.attempt.AsHeld(), intent, prompt_inputs.window);
  };
  TRY(call, begin());
  std::unique_ptr<agents::AgentSession> session;
  if (agent.sessions != nullptr) {
    auto opened =
        OpenSession(parts, agent_context, question, agent, call, intent);
    if (!opened) {
      CallEnd end;
      end.outcome = CallOutcome::kFailed;
      end.error = opened.error().what;
      end.ended_at_s = parts.clock.UnixSeconds();
      const std::lock_guard lock(live_tree.mutex());
      TRY_DONE(calls.End(call, end));
      return tl::unexpected<Error>(opened.error());
    }
    session = *std::move(opened);
    request.session = session.get();
  }
  LedgerPage page(agent_context.ledger, call);
  request.observer = &page;
  request.cancel = cancel;
  bool is_heard = false;
  request.on_progress = [&](std::int64_t tokens) {
    agent_context.heard(call, tokens);
    is_heard = true;
  };
  Outages* const outages =
      agent.is_language_model ? agent_context.outages : nullptr;
  if (outages != nullptr) {
    request.on_setback = [&](const Error& why) {
      outages->MeetSilence(why.what);
    };
  }
  request.shorter = [&]() -> std::optional<int> {
    const std::lock_guard lock(live_tree.mutex());
    const auto longest = store::LongestAnswer(parts.database, call);
    if (!longest || !*longest) return std::nullopt;
    return static_cast<int>(kRoom * **longest);
  };
  const double sent = parts.clock.Monotonic();
  auto completed = agent.model->Complete(request);
  if (is_heard) agent_context.heard(call, 0);
  AnsweredCall answer;
  answer.call = call;
  answer.end.latency_s = parts.clock.Monotonic() - sent;
  answer.end.ended_at_s = parts.clock.UnixSeconds();
  answer.flight = page.MoveAnsweredTo(answer.end);
  if (!completed) {
    answer.end.outcome =
        page.IsUnsettled() ? CallOutcome::kUnknown : CallOutcome::kFailed;
    answer.end.error = completed.error().what;
    const std::lock_guard lock(live_tree.mutex());
    TRY_DONE(calls.End(call, answer.end));
    const bool may_later =
        agent.is_language_model && MayAnswerLater(completed.error().code);
    return Fail(may_later ? Errc::kUnanswered : completed.error().code,
                completed.error().what);
  }
  if (outages != nullptr) outages->HearAnswer();
  answer.end.answer = std::move(completed->text);
  answer.end.error = std::move(completed->fault);
  answer.end.usage = completed->usage;
  answer.end.cost_usd = completed->cost_usd.value_or(0.0);
  return answer;
}

}  // namespace coppice::engine
