#include "tests/drifting_campaigns.h"

#include <string>
#include <utility>

#include "engine/campaign/verification.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/task_finder.h"
#include "engine/process/clock.h"
#include "engine/run/session.h"
#include "store/records/tier.h"
#include "store/scratch_file.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"
#include "store/write/claims.h"
#include "tests/drifting_machine.h"
#include "tests/drifting_place.h"

namespace coppice {
namespace {

using store::Must;

void AddBaselines(DriftingPlace& place, const store::CampaignRow& row,
                  const Task& task, DriftingMachine& machine) {
  for (const auto& [name, variant] :
       {std::pair(store::kExpertBaseline, 95), std::pair("torch", 99)}) {
    Evaluation evaluation;
    do {  // Both are variants, of which some fail.
      evaluation = Must(machine.Evaluate(
          task,
          {Language::kCpp, "int variant_" + std::to_string(variant) + ";", "k"},
          Tier::kFull));
    } while (evaluation.verdict == Verdict::kInconclusive);
    Must(store::AddBaselineEvaluation(place.database(), row.id, name,
                                      evaluation, 2e9));
  }
  Must(store::AddQuotedBaselines(place.database(),
                                 {{.level = row.spec.task_level,
                                   .task = row.spec.task_name,
                                   .baseline = "torch",
                                   .hardware = DriftingMachine::kHardware,
                                   .mean_s = 1e-3,
                                   .std_s = 1e-5,
                                   .min_s = 9e-4,
                                   .max_s = 2e-3,
                                   .trials = 100,
                                   .origin = "baseline_time_torch.json"}},
                                 2e9));
}

void AddClaim(DriftingPlace& place, const store::CampaignRow& row) {
  const store::Claim claim{
      .candidate = {Language::kCpp, "int variant_1000;", "k"},
      .origin = "list.json:1",
      .is_correct = true,
      .speedup = 100.0};
  const auto fresh = [&] { return engine::FreshUuid(place.clock()); };
  Must(store::SubmitClaims(place.database(), row.id, {claim},
                           store::Judging::kByAttempt, fresh, 2e9));
}

// Number `i` of the file.
void RunOne(DriftingPlace& place, std::size_t i, const std::string& task_name,
            Task task, const DriftingFile& file) {
  constexpr std::pair<double, double> kLaws[] = {
      {-0.9, 0.3}, {0.0, 0.02}, {0.0, 0.1}, {0.5, 0.3}, {1.0, 0.3}};
  const auto [mean, deviation] = kLaws[i % 5];
  DriftingMachine machine(file.seed * 1000 + i, mean, deviation);
  store::CampaignSpec spec = engine::Specify(
      place.factory(), task,
      engine::CampaignName(place.factory().settings(), task_name));
  const bool has_two_policies = i % 7 == 3;
  if (has_two_policies) spec.budget_attempts = kDriftingBudget / 2;
  const CampaignId id = Must(store::Campaigns(place.database()).Create(spec));
  place.Run(spec.name, task, machine);
  if (has_two_policies) {
    Must(store::Campaigns(place.database())
             .Enter({}, {{.id = id,
                          .budget_attempts = kDriftingBudget,
                          .policy = store::CampaignSetting{"policy", "beam",
                                                           "command line"}}}));
  }
  if (i % 7 == 4) AddClaim(place, place.Row(spec.name));
  const bool has_baselines = i % 3 == 1 && file.seed % 2 == 0;
  if (has_baselines) AddBaselines(place, place.Row(spec.name), task, machine);
  place.Run(spec.name, task, machine);
  if (i % 2 == 0) {
    Must(engine::VerifyLeaders(machine, task, place.database(), id, 2,
                               place.clock(), place.drain(), [](NodeId) {}));
    place.Run(spec.name, task, machine);
  }
}

}  // namespace

void RunDriftingCampaigns(const DriftingFile& file,
                          const config::Surroundings& surroundings) {
  DriftingPlace place(file, surroundings);
  const std::vector<std::string> names =
      Must(place.factory().tasks().TasksOfLevel("1", Language::kCpp));
  for (std::size_t i = 0; i < names.size(); ++i) {
    RunOne(place, i, names[i], Must(place.factory().FindTask(names[i])), file);
  }
  Task problem = Must(place.factory().FindTask("gemv"));
  problem.definition.name = "level1_19_ReLU";
  for (Solution* solution : {&problem.root, &problem.oracle}) {
    solution->definition = problem.definition.name;
    solution->name = problem.definition.name + "_" +
                     (solution == &problem.root ? "root" : "oracle");
  }
  problem.workloads.resize(1);
  RunOne(place, names.size(), problem.definition.name, problem, file);
}

}  // namespace coppice
