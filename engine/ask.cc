#include "engine/ask.h"

#include <mutex>
#include <utility>

#include "store/calls.h"
#include "store/nodes.h"

namespace coppice::engine {
namespace {

agents::Sighting Sight(const NodeRecord& node, Kinship kinship) {
  agents::Sighting sighting;
  sighting.id = node.id;
  sighting.parent = node.parent;
  sighting.kinship = kinship;
  if (node.candidate) sighting.source = node.candidate->source;
  sighting.plan = node.plan;
  sighting.verdict = node.evaluation.verdict;
  sighting.log = node.evaluation.log;
  sighting.runtime_s = node.evaluation.runtime_s;
  sighting.profile = node.evaluation.profile;
  if (node.evaluation.runtime_s && node.evaluation.root_runtime_s) {
    sighting.speedup =
        *node.evaluation.root_runtime_s / *node.evaluation.runtime_s;
  }
  return sighting;
}

const Agent& AgentOf(const Parts& parts, Role role) {
  switch (role) {
    case Role::kPlan:
      return parts.plan;
    case Role::kCode:
      return parts.code;
    case Role::kDebug:
      return parts.debug;
  }
  return parts.plan;
}

Purpose WindowPurpose(Role role) {
  switch (role) {
    case Role::kPlan:
      return Purpose::kPlanWindow;
    case Role::kCode:
      return Purpose::kCodeWindow;
    case Role::kDebug:
      return Purpose::kDebugWindow;
  }
  return Purpose::kPlanWindow;
}

Result<agents::Situation> Describe(const Parts& parts, const Question& question,
                                   const Window& window) {
  store::Nodes nodes(parts.database);
  agents::Situation situation;
  situation.role = question.role;
  situation.task = &parts.task;
  const std::string& measured_on =
      question.parent.evaluation.environment.hardware;
  situation.hardware = measured_on.empty() ? parts.hardware : measured_on;
  situation.threads = parts.threads;
  situation.selected = Sight(question.parent, Kinship::kSelected);
  if (question.parent.id == kRootNode) situation.root = situation.selected;
  for (const WindowEntry& entry : window) {
    if (!entry.shown || entry.kinship == Kinship::kSelected) continue;
    TRY(node, nodes.Load(question.campaign, entry.node));
    if (entry.kinship == Kinship::kRoot) {
      situation.root = Sight(node, entry.kinship);
    } else {
      situation.history.push_back(Sight(node, entry.kinship));
    }
  }
  if (question.role == Role::kCode) situation.plan = question.attempt.plan;
  if (question.role == Role::kDebug) situation.plan = question.parent.plan;
  situation.seed = question.seed;
  situation.decision = question.attempt.reservation.decision;
  return situation;
}

CallIntent Intend(const Parts& parts, const Agent& agent,
                  const agents::ModelRequest& request) {
  CallIntent intent;
  intent.uuid = FreshUuid(parts.clock);
  intent.role = request.role;
  intent.provider = agent.model->Provider();
  intent.model = agent.model->ModelName();
  intent.sampling = request.sampling;
  intent.sample_index = request.sample_index;
  intent.system_prompt = request.system_prompt;
  intent.user_prompt = request.user_prompt;
  intent.sent_at_s = parts.clock.UnixSeconds();
  return intent;
}

struct View {
  Window window;
  agents::Situation situation;
};

Result<View> Look(const Parts& parts, Board& board, const Question& question) {
  RandomStream stream(
      question.seed, WindowPurpose(question.role),
      static_cast<std::uint64_t>(question.attempt.reservation.decision));
  const std::lock_guard lock(board.mutex());
  Window window = agents::BuildWindow(question.role, question.parent.id,
                                      board.tree(), parts.window, stream);
  TRY(situation, Describe(parts, question, window));
  return View{std::move(window), std::move(situation)};
}

}  // namespace

Result<Answer> Ask(const Parts& parts, Board& board, Ledger& ledger,
                   const Question& question) {
  TRY(view, Look(parts, board, question));
  agents::Prompt prompt = parts.prompts.Render(view.situation);

  const Agent& agent = AgentOf(parts, question.role);
  agents::ModelRequest request;
  request.role = question.role;
  request.sampling = agent.sampling;
  request.system_prompt = std::move(prompt.system);
  request.user_prompt = std::move(prompt.user);
  request.sample_index = question.attempt.reservation.decision;
  request.situation = &view.situation;

  store::Calls calls(parts.database);
  const auto begin = [&] {
    const std::lock_guard lock(board.mutex());
    return calls.Begin(question.attempt.id, Intend(parts, agent, request),
                       view.window);
  };
  TRY(call, begin());
  LedgerPage page(ledger, call);
  request.observer = &page;
  const double sent = parts.clock.Monotonic();
  auto completed = agent.model->Complete(request);
  Answer answer;
  answer.call = call;
  answer.end.latency_s = parts.clock.Monotonic() - sent;
  answer.end.ended_at_s = parts.clock.UnixSeconds();
  answer.flight = page.MoveAnsweredTo(answer.end);
  if (!completed) {
    answer.end.outcome = CallOutcome::kFailed;
    answer.end.error = completed.error().what;
    const std::lock_guard lock(board.mutex());
    TRY_DONE(calls.End(call, answer.end));
    return tl::unexpected<Error>(completed.error());
  }
  answer.end.answer = std::move(completed->text);
  answer.end.error = std::move(completed->fault);
  answer.end.usage = completed->usage;
  answer.end.cost_usd = completed->cost_usd.value_or(0.0);
  return answer;
}

}  // namespace coppice::engine
