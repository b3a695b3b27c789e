#include "store/scratch.h"

#include <unistd.h>

#include "store/records/node.h"
#include "store/records/window.h"

namespace coppice::store {

Uuid NextUuid() {
  static std::uint64_t count = 0;
  // Children count on from where their parent was.
  const auto process = static_cast<std::uint64_t>(getpid());
  return MakeUuidV7(1'700'000'000'000, 0, process << 32 | ++count);
}

CampaignSpec SpecNamed(const std::string& name) {
  CampaignSpec spec;
  spec.uuid = NextUuid();
  spec.name = name;
  spec.task_name = "matmul";
  spec.task_level = 1;
  spec.task_json = "{\"task\": \"matmul\"}";
  spec.policy = "stark";
  spec.seed = 7;
  spec.budget_attempts = 100;
  spec.created_at_s = 1000.0;
  return spec;
}

Evaluation EvaluationOf(Verdict verdict, std::optional<double> runtime_s) {
  Evaluation evaluation;
  evaluation.verdict = verdict;
  evaluation.log = "log: " + std::string(Name(verdict));
  evaluation.environment.hardware = "a processor";
  if (!runtime_s) return evaluation;
  WorkloadResult result;
  result.workload = "w0";
  result.verdict = verdict;
  result.samples_s = {*runtime_s};
  result.root_samples_s = {4.0};
  result.calls_verified = 1;
  evaluation.workloads.push_back(result);
  evaluation.runtime_s = runtime_s;
  evaluation.root_runtime_s = 4.0;
  evaluation.speedup = Speedup{4.0 / *runtime_s, std::nullopt};
  return evaluation;
}

NodeRecord RootNode(const std::string& source) {
  NodeRecord node;
  node.uuid = NextUuid();
  node.candidate = Candidate{Language::kCpp, source, "run"};
  node.evaluation = EvaluationOf(Verdict::kPassed, 4.0);
  return node;
}

Reservation ReservationOf(std::int64_t decision, NodeId parent) {
  Reservation reservation;
  reservation.uuid = NextUuid();
  reservation.decision = decision;
  reservation.parent = parent;
  reservation.policy = "stark";
  reservation.reason = "exploit: best eligible";
  reservation.lease_owner = "worker";
  reservation.lease_until_s = 2000.0;
  reservation.reserved_at_s = 1000.0;
  reservation.nodes_seen = Index(parent) + 1;
  return reservation;
}

CallIntent IntentOf(Role role) {
  CallIntent intent;
  intent.uuid = NextUuid();
  intent.role = role;
  intent.provider = "replay";
  intent.model = "model";
  intent.system_prompt = "You are an agent: " + std::string(Name(role));
  intent.user_prompt = "Do what an agent does.";
  intent.sent_at_s = 1000.0;
  return intent;
}

CallEnd AnswerOf(const std::string& text) {
  CallEnd end;
  end.answer = text;
  end.usage = {100, 40, 10};
  end.cost_usd = 0.25;
  end.latency_s = 2.0;
  end.ended_at_s = 1002.0;
  return end;
}

CampaignId Plant(Database& database, const std::string& name) {
  const CampaignId campaign = Must(Campaigns(database).Create(SpecNamed(name)));
  Must(Nodes(database).Commit(campaign, std::nullopt, RootNode(), 1000.0));
  return campaign;
}

CampaignId PlantBeside(Database& database) {
  const CampaignId campaign = Plant(database, "beside");
  const NodeId one =
      Grow(database, campaign, kRootNode,
           {.source = "beside", .runtime_s = 0.5, .technique = "beside"});
  Grow(database, campaign, one,
       {.verdict = Verdict::kCrashed, .technique = "beside"});
  Must(Nodes(database).AddEvaluation(
      campaign, one, EvaluationOf(Verdict::kWrongOutput, std::nullopt),
      2000.0));
  Must(Attempts(database).Reserve(campaign, ReservationOf(2, one)));
  return campaign;
}

NodeId Grow(Database& database, CampaignId campaign, NodeId parent,
            const Outcome& outcome) {
  const CampaignRow row = Must(Campaigns(database).Find(campaign));
  Reservation reservation = ReservationOf(row.attempts, parent);
  reservation.policy = outcome.policy;
  reservation.nodes_seen = row.nodes;
  reservation.picks = outcome.picks;
  reservation.mate = outcome.mate;
  const AttemptId attempt =
      Must(Attempts(database).Reserve(campaign, reservation));
  const std::string source = outcome.source.empty()
                                 ? "kernel " + std::to_string(row.nodes)
                                 : outcome.source;

  Calls calls(database);
  const Window window = {{{parent, Kinship::kSelected}}, outcome.cut};
  NodeRecord node;
  node.id = NodeId{row.nodes};
  node.uuid = NextUuid();
  node.parent = parent;
  node.plan =
      Plan{outcome.advice, outcome.technique, "<<<" + source + ">>>", 1, true};
  const CallId plan = Must(calls.Begin(attempt, IntentOf(Role::kPlan), window));
  Must(
      calls.EndWithPlan(plan, AnswerOf("plan: " + outcome.advice), *node.plan));
  const CallId code = Must(calls.Begin(attempt, IntentOf(Role::kCode), window));
  if (outcome.verdict == Verdict::kNoCandidate) {
    Must(calls.EndWithoutCandidate(code, AnswerOf("sorry"), "no code"));
  } else {
    node.candidate = Candidate{Language::kCpp, source, "run"};
    node.footprint = {3, 1};
    Must(calls.EndWithCandidate(code, AnswerOf("code: " + source),
                                *node.candidate, node.footprint));
  }
  node.evaluation = EvaluationOf(
      outcome.verdict,
      outcome.verdict == Verdict::kPassed ? outcome.runtime_s : std::nullopt);
  node.evaluation.check_s = outcome.check_s;
  node.trials = outcome.trials;
  node.behaviour = outcome.behaviour;
  Must(Nodes(database).Commit(campaign, attempt, node,
                              1000.0 + static_cast<double>(row.nodes)));
  return node.id;
}

}  // namespace coppice::store
