#include "engine/run/simulated_rig.h"

#include "engine/run/campaign_findings.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

using store::Must;

LandscapeTasks Landscapes() {
  return LandscapeTasks(std::filesystem::path(COPPICE_SOURCE_DIR) / "data");
}

SimulatedRig::SimulatedRig(std::int64_t budget, const std::string& policy,
                           const std::string& task)
    : task_(Must(Landscapes().Find(task))),
      model_(Must(Landscapes().MakeModel(task_))),
      evaluator_(Must(Landscapes().MakeEvaluator(task_))),
      policy_(Must(search::MakePolicy(policy))),
      database_(std::make_unique<store::Database>(
          store::NewFile(directory_.File("x.db")))) {
  prompts_.emplace(Must(agents::PromptTemplates::Load(
      std::filesystem::path(COPPICE_SOURCE_DIR) / "data" / "prompts")));
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(clock_);
  spec.name = "c";
  spec.task_name = task_.definition.name;
  spec.task_json = "{}";
  spec.policy = policy;
  spec.seed = kSeed;
  spec.budget_attempts = budget;
  Must(store::Campaigns(*database_).Create(spec));
}

store::CampaignRow SimulatedRig::Row() {
  return Must(store::Campaigns(*database_).List()).at(0);
}

std::unique_ptr<store::Database> SimulatedRig::Connect() const {
  return std::make_unique<store::Database>(Must(store::Database::Open(
      path(), store::Access::kReadWrite, store::Durability::kNormal)));
}

CampaignParts SimulatedRig::PartsFor(store::Database& database,
                                     agents::Model* model) {
  const Agent agent{model == nullptr ? model_.get() : model, {}};
  return {database, task_,  *policy_,  agent,
          agent,    agent,  *prompts_, {{evaluator_.get(), ""}},
          clock_,   {5, 2}, "test",    1};
}

Campaign::Options SimulatedRig::OptionsFor(int parallel) const {
  Campaign::Options options;
  options.database = path();
  options.confirm = false;
  options.parallel = parallel;
  return options;
}

std::vector<std::string> SimulatedRig::Findings() {
  return CampaignFindings(*database_, Row());
}

std::vector<std::string> SimulatedRig::Rows(const std::string& sql) {
  return store::Rows(*database_, sql);
}

}  // namespace coppice::engine
