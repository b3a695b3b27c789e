#include "engine/campaign/ask.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "agents/provider/agent_session.h"
#include "agents/provider/model.h"
#include "engine/campaign/agent_choice.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/call_session.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/ledger_page.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/question.h"
#include "engine/process/clock.h"
#include "store/records/attempt.h"
#include "store/write/calls.h"
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

}  // namespace

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
  const agents::Prompt& prompt = matter.prompt;

  agents::ModelRequest request;
  request.role = question.role;
  request.sampling = agent.sampling;
  if (agent.is_language_model) {
    const std::lock_guard lock(live_tree.mutex());
    TRY(wanted, live_tree.TemperatureFor(question.role, question.attempt));
    if (wanted) request.sampling.temperature = *wanted;
  }
  request.system_prompt = prompt.system;
  request.user_prompt = prompt.user;
  request.stable_prefix_bytes = prompt.stable_bytes;
  request.sample_index = question.attempt.reservation.decision;
  request.context = matter.context.get();

  store::Calls calls(parts.database);
  const CallIntent intent =
      IntentOf(parts, question.role, agent.model->Provider(),
               agent.model->ModelName(), request.sample_index, prompt);
  request.name = ToString(intent.uuid);
  const auto begin = [&] {
    const std::lock_guard lock(live_tree.mutex());
    return calls.Begin(question.attempt.AsHeld(), intent, matter.window);
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
