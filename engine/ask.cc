#include "engine/ask.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/model_picks.h"
#include "engine/named_agents.h"
#include "engine/sessions/tool_session.h"
#include "engine/steering/steering.h"
#include "store/campaigns.h"
#include "store/directives.h"
#include "store/nodes.h"
#include "store/settlement.h"

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
Result<const Agent*> ChosenAgent(const Parts& parts, Role role,
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
Result<std::optional<double>> LeftByCaps(const Parts& parts, const Desk& desk,
                                         CampaignId campaign) {
  const std::lock_guard lock(desk.board.mutex());
  const auto& cap = desk.ledger.cap().usd;
  if (!cap) return std::optional<double>();
  TRY(used, store::ReadUsed(parts.database, campaign));
  return std::optional(*cap - used.usd);
}

// Where an agent works that has tools.
Result<std::unique_ptr<sessions::Desk>> OpenSession(
    const Parts& parts, const Desk& desk, const Question& question,
    const Agent& agent, CallId call, const CallIntent& intent) {
  TRY(left, LeftByCaps(parts, desk, question.campaign));
  const auto list = [&] {
    const std::lock_guard lock(desk.board.mutex());
    return store::Campaigns(parts.database).List();
  };
  TRY(campaigns, list());
  const auto campaign =
      std::ranges::find(campaigns, question.campaign, &store::CampaignRow::id);
  if (campaign == campaigns.end()) {
    return Fail(Errc::kNotFound, "the campaign is missing");
  }
  return sessions::Desk::Open(
      {*agent.office, parts.database, desk.board.mutex(), parts.clock,
       parts.task, call, intent.uuid, question.attempt.reservation.uuid,
       question.role, campaign->spec.name,
       question.parent.candidate ? question.parent.candidate->source : "",
       question.attempt.reservation.parent,
       intent.system_prompt + "\n\n" + intent.user_prompt, left,
       question.accepts});
}

}  // namespace

CallIntent IntentOf(const Parts& parts, Role role, std::string_view provider,
                    std::string_view model, std::int64_t sample_index,
                    const agents::Prompt& prompt) {
  CallIntent intent;
  intent.uuid = FreshUuid(parts.clock);
  intent.role = role;
  intent.provider = provider;
  intent.model = model;
  intent.sample_index = sample_index;
  intent.system_prompt = prompt.system;
  intent.user_prompt = prompt.user;
  intent.templates = parts.prompts.TextsOf(prompt.templates);
  intent.template_set = parts.prompts.set();
  intent.sent_at_s = parts.clock.UnixSeconds();
  return intent;
}

Result<Matter> Put(const Parts& parts, const Desk& desk,
                   const Question& question) {
  const Backdrop backdrop = {
      parts.database, parts.task,     question.campaign, question.seed,
      parts.window,   parts.hardware, parts.threads,     parts.request_options,
      desk.budget};
  const AttemptRecord& attempt = question.attempt;
  TRY(briefing,
      Brief(backdrop, desk.board.tree(),
            {question.role, attempt.reservation.decision, question.parent,
             attempt.plan,
             desk.board.EarlierAttempts(attempt.reservation.decision),
             attempt.reservation.nodes_seen, attempt.reservation.mate}));
  agents::Prompt prompt = parts.prompts.Render(briefing.context);
  if (question.rejected) {
    prompt = parts.prompts.RenderRepair(prompt, question.rejected->answer,
                                        question.rejected->fault);
  }
  return Matter{std::move(briefing), std::move(prompt)};
}

Result<const Agent*> AgentOf(const Parts& parts, Role role,
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

Result<Answer> Ask(const Parts& parts, const Desk& desk,
                   const Question& question) {
  TRY(chosen, AgentOf(parts, question.role, question.attempt));
  const Agent& agent = *chosen;
  const std::atomic<bool>* const cancel =
      agent.is_language_model ? desk.cancel : nullptr;
  if (cancel != nullptr && cancel->load()) {
    return Fail(Errc::kCancelled, "cancelled");
  }
  Board& board = desk.board;
  const auto put = [&] {
    const std::lock_guard lock(board.mutex());
    return Put(parts, desk, question);
  };
  TRY(matter, put());
  Briefing& briefing = matter.briefing;
  const agents::Prompt& prompt = matter.prompt;

  agents::ModelRequest request;
  request.role = question.role;
  request.sampling = agent.sampling;
  if (agent.is_language_model) {
    const std::lock_guard lock(board.mutex());
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
  request.context = &briefing.context;

  briefing.context.is_known = [&](const std::string& source) {
    const std::lock_guard lock(board.mutex());
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
    const std::lock_guard lock(board.mutex());
    return calls.Begin(question.attempt.AsHeld(), intent, briefing.window);
  };
  TRY(call, begin());
  std::unique_ptr<sessions::Desk> session;
  if (agent.office != nullptr) {
    auto opened = OpenSession(parts, desk, question, agent, call, intent);
    if (!opened) {
      CallEnd end;
      end.outcome = CallOutcome::kFailed;
      end.error = opened.error().what;
      end.ended_at_s = parts.clock.UnixSeconds();
      const std::lock_guard lock(board.mutex());
      TRY_DONE(calls.End(call, end));
      return tl::unexpected<Error>(opened.error());
    }
    session = *std::move(opened);
    request.session = session.get();
  }
  LedgerPage page(desk.ledger, call);
  request.observer = &page;
  request.cancel = cancel;
  bool is_heard = false;
  request.on_progress = [&](std::int64_t tokens) {
    desk.heard(call, tokens);
    is_heard = true;
  };
  Outages* const outages = agent.is_language_model ? desk.outages : nullptr;
  if (outages != nullptr) {
    request.on_setback = [&](const Error& why) {
      outages->MeetSilence(why.what);
    };
  }
  request.shorter = [&]() -> std::optional<int> {
    const std::lock_guard lock(board.mutex());
    const auto longest = store::LongestAnswer(parts.database, call);
    if (!longest || !*longest) return std::nullopt;
    return static_cast<int>(kRoom * **longest);
  };
  const double sent = parts.clock.Monotonic();
  auto completed = agent.model->Complete(request);
  if (is_heard) desk.heard(call, 0);
  Answer answer;
  answer.call = call;
  answer.end.latency_s = parts.clock.Monotonic() - sent;
  answer.end.ended_at_s = parts.clock.UnixSeconds();
  answer.flight = page.MoveAnsweredTo(answer.end);
  if (!completed) {
    answer.end.outcome =
        page.IsUnsettled() ? CallOutcome::kUnknown : CallOutcome::kFailed;
    answer.end.error = completed.error().what;
    const std::lock_guard lock(board.mutex());
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
