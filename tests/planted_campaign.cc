#include "tests/planted_campaign.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "engine/campaign/root_candidate.h"
#include "engine/process/clock.h"
#include "store/database.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/scratch_file.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice {
namespace {

using store::Must;

// 8 KB of statements; the first line tells candidates apart.
std::string SourceOf(std::uint64_t version) {
  std::string source = "int version = " + std::to_string(version) + ";\n";
  for (int i = 0; source.size() < kPlantedBytes; ++i) {
    const std::string n = std::to_string(i * 7919 % 1009);
    source += "  acc[" + n + "] += a[i * " + n + " + k] * b[k * n + j];\n";
  }
  return source;
}

void AddNode(store::Database& database, CampaignId campaign,
             std::int64_t number, NodeId parent) {
  Reservation reservation;
  reservation.uuid = engine::FreshUuid(TheClock());
  reservation.decision = number - 1;
  reservation.parent = parent;
  reservation.policy = "stark";
  reservation.lease_owner = "benchmark";
  reservation.nodes_seen = number;
  const AttemptId attempt =
      Must(store::Attempts(database).Reserve(campaign, reservation));
  CallIntent intent;
  intent.uuid = engine::FreshUuid(TheClock());
  intent.role = Role::kDebug;
  NodeRecord node;
  node.id = NodeId{number};
  node.uuid = engine::FreshUuid(TheClock());
  node.parent = parent;
  node.candidate =
      Candidate{Language::kCpp,
                SourceOf(static_cast<std::uint64_t>(number) + 1000), "run"};
  node.evaluation = JudgePlanted(node.candidate->source);
  store::Calls calls(database);
  const CallId call = Must(calls.Begin(attempt, intent, {}));
  CallEnd end;
  end.answer = "see the candidate";
  Must(calls.EndWithCandidate(call, end, *node.candidate, {}));
  Must(store::Nodes(database).Commit(campaign, attempt, node, 1e9));
}

}  // namespace

const engine::Clock& TheClock() {
  static const engine::SystemClock kClock;
  return kClock;
}

Task PlantedTask() {
  Task task;
  task.definition.name = "benchmark";
  task.root.language = Language::kCpp;
  task.root.entry_file = "kernel.cc";
  task.root.entry_symbol = "run";
  std::uint64_t version = 0;  // A root has to pass.
  while (JudgePlanted(SourceOf(version)).verdict != Verdict::kPassed) ++version;
  task.root.sources = {{"kernel.cc", SourceOf(version)}};
  return task;
}

Evaluation JudgePlanted(std::string_view source) {
  const std::uint64_t hash = std::hash<std::string_view>()(source);
  Evaluation evaluation;
  evaluation.environment.hardware = "simulated";
  if (hash % 3 == 0) {
    evaluation.verdict = Verdict::kCompileFailed;
    evaluation.log = "kernel.cc:7: error: expected ';'";
    return evaluation;
  }
  evaluation.verdict = Verdict::kPassed;
  WorkloadResult& result = evaluation.workloads.emplace_back();
  result.workload = "w";
  result.verdict = Verdict::kPassed;
  result.samples_s = {1.0 + static_cast<double>(hash % 1'000'003) / 1'000'003};
  result.root_samples_s = {2.0};
  Summarise(evaluation);
  return evaluation;
}

void PlantCampaign(const std::filesystem::path& file, std::int64_t nodes) {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) throw std::runtime_error("no campaign was planted");
    return;
  }
  auto database = Must(store::Database::Open(file, store::Access::kCreate,
                                             store::Durability::kNormal));
  const Task task = PlantedTask();
  store::CampaignSpec spec;
  spec.uuid = engine::FreshUuid(TheClock());
  spec.name = "c";
  spec.task_name = task.definition.name;
  spec.task_json = "{}";
  spec.policy = "stark";
  spec.budget_attempts = nodes;
  const CampaignId campaign = Must(store::Campaigns(database).Create(spec));
  NodeRecord root;
  root.uuid = engine::FreshUuid(TheClock());
  root.candidate = engine::RootCandidate(task);
  root.evaluation = JudgePlanted(root.candidate->source);
  Must(store::Nodes(database).Commit(campaign, std::nullopt, root, 1e9));
  for (std::int64_t i = 1; i <= nodes; ++i) {
    AddNode(database, campaign, i, NodeId{(i - 1) / 3});
  }
  _exit(0);
}

}  // namespace coppice
