#include "tests/drifting_campaigns.h"

#include <atomic>
#include <memory>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_templates.h"
#include "agents/provider/model.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/station.h"
#include "engine/campaign/verification.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/task_finder.h"
#include "engine/process/clock.h"
#include "engine/run/session.h"
#include "search/policy.h"
#include "store/records/node.h"
#include "store/records/random.h"
#include "store/records/tier.h"
#include "store/scratch.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"
#include "tests/drifting_machine.h"

namespace coppice {
namespace {

using store::Must;

// Variants of the task's root.  A dozen: one that is there already comes with
// another comment, and nothing else.
class VariantModel final : public agents::Model {
 public:
  std::string_view Provider() const override { return "simulation"; }
  std::string_view ModelName() const override { return "variants"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    const agents::PromptContext& context = *request.context;
    const std::string& source = context.selected.source;
    RandomStream draws(context.seed, Purpose::kCodeAgent,
                       static_cast<std::uint64_t>(context.decision));
    const std::uint64_t variant = draws.Below(24);
    std::string text;
    if (request.role == Role::kPlan) {
      text = "Make a variant.\nTechnique: variant " + std::to_string(variant) +
             "\n" +
             Fenced("// <<<IMPROVE BEGIN>>>\n" + source +
                    "// <<<IMPROVE END>>>\n");
    } else if (draws.Below(20) == 0) {
      text = "I would rather not.";
    } else {
      text = Fenced("int variant_" + std::to_string(variant) + ";  // For " +
                    std::to_string(context.decision) + ".\n");
    }
    return agents::ModelAnswer{std::move(text), {100, 0, 10}, 0.25};
  }

 private:
  static std::string Fenced(const std::string& source) {
    return "```cpp\n" + source + "```\n";
  }
};

class Unwatched final : public engine::Observer {
 public:
  void OnCommit(const engine::Progress&, const NodeRecord&) override {}
  void OnConfirm(const engine::Progress&, NodeId) override {}
};

// What campaigns on one file share.
class Place {
 public:
  Place(const DriftingFile& file, const config::Surroundings& surroundings)
      : file_(file),
        loaded_(Must(config::Load(surroundings, std::nullopt,
                                  {{"policy", file.policy},
                                   {"seed", std::to_string(file.seed)},
                                   {"budget", std::to_string(kDriftingBudget)},
                                   {"db", file.path.string()}}))),
        factory_(Must(engine::CampaignFactory::Make(loaded_, "no runner",
                                                    clock_, drain_))),
        database_(store::NewFile(file.path)) {}

  engine::CampaignFactory& factory() { return *factory_; }
  store::Database& database() { return database_; }
  const engine::Clock& clock() const { return clock_; }
  const std::atomic<bool>& drain() const { return drain_; }

  store::CampaignRow Row(const std::string& name) {
    return Must(store::Campaigns(database_).Find(name));
  }

  // As far as its budget goes, and until its leader is confirmed.
  void Run(const std::string& name, const Task& task,
           eval::Evaluator& evaluator) {
    while (!RunOnce(name, task, evaluator)) {
    }
  }

 private:
  bool RunOnce(const std::string& name, const Task& task,
               eval::Evaluator& evaluator) {
    const store::CampaignRow row = Row(name);
    const auto policy = Must(search::MakePolicy(store::PolicyOf(row.spec)));
    const engine::Agent agent{&model_, {}};
    const engine::CampaignParts parts{
        database_,
        task,
        *policy,
        agent,
        agent,
        agent,
        *Must(factory_->PromptsOf(factory_->settings())),
        {{&evaluator, ""}},
        clock_,
        {5, 2},
        DriftingMachine::kHardware,
        1};
    engine::Campaign::Options options;
    options.database = file_.path;
    engine::Campaign campaign(parts, row, options);
    Unwatched nobody;
    Must(campaign.Run(nobody));
    return campaign.is_confirmed() || campaign.progress().best == kRootNode;
  }

  const DriftingFile& file_;
  const engine::SystemClock clock_{};
  const std::atomic<bool> drain_{false};
  const config::Loaded loaded_;
  const std::unique_ptr<engine::CampaignFactory> factory_;
  store::Database database_;
  VariantModel model_;
};

void AddBaselines(Place& place, const store::CampaignRow& row, const Task& task,
                  DriftingMachine& machine) {
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

void AddClaim(Place& place, const store::CampaignRow& row) {
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
void RunOne(Place& place, std::size_t i, const std::string& task_name,
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
  Place place(file, surroundings);
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
