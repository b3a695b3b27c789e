#include "engine/factory/campaign_factory.h"

#include <map>
#include <utility>

#include "agents/provider/model.h"
#include "config/continue.h"
#include "config/load.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/policy_terms.h"
#include "engine/campaign/stop_rules.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/factory/agent_factory.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/campaign_equipment.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/memory.h"
#include "engine/factory/model_factory.h"
#include "engine/factory/prompt_sets.h"
#include "engine/factory/session_openers.h"
#include "engine/factory/task_finder.h"
#include "engine/process/system_timer.h"
#include "eval/host/machine.h"
#include "store/records/candidate.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

std::vector<config::Override> StoredOf(const store::CampaignSpec& campaign) {
  std::vector<config::Override> stored;
  for (const store::CampaignSetting& setting : campaign.settings) {
    stored.push_back({setting.key, setting.value});
  }
  return stored;
}

}  // namespace

struct CampaignFactory::Factories {
  Factories(const config::Loaded& loaded, const fs::path& runner,
            const Clock& clock, const std::atomic<bool>& drain, Outages* shared,
            std::unique_ptr<SessionOpeners> sessions)
      : timer(clock),
        own_outages(timer, drain),
        outages(shared == nullptr ? own_outages : *shared),
        prompts(loaded),
        evaluators(loaded, runner, outages),
        tasks(loaded, runner, evaluators),
        models(loaded.settings, timer),
        agents(models, std::move(sessions)),
        equipment(agents, evaluators, prompts, clock) {}

  SystemTimer timer;
  Outages own_outages;
  Outages& outages;
  PromptSets prompts;
  EvaluatorFactory evaluators;
  TaskFinder tasks;
  ModelFactory models;
  AgentFactory agents;
  CampaignEquipment equipment;
  // By what `memory` says, once it is asked.
  std::map<std::string, Memory> memories;
};

Result<std::unique_ptr<CampaignFactory>> CampaignFactory::Make(
    const config::Loaded& loaded, const fs::path& runner, const Clock& clock,
    const std::atomic<bool>& drain, Outages* outages,
    MakeSessionOpeners make_sessions) {
  const config::Settings& settings = loaded.settings;
  LendPolicy(settings.policy, settings);
  TRY_DONE(ParseTorchBaselines(settings.baselines));
  TRY_DONE(CampaignEquipment::CheckModelRule(settings.model_choice));
  if (settings.stop_at_baseline) {
    TRY_DONE(StoredBaseline(*settings.stop_at_baseline));
  }
  std::unique_ptr<CampaignFactory> factory(new CampaignFactory(
      loaded, runner, clock, drain, outages,
      make_sessions == nullptr ? nullptr
                               : make_sessions(loaded, runner, clock)));
  TRY_DONE(factory->PromptsOf(settings));
  return factory;
}

CampaignFactory::CampaignFactory(const config::Loaded& loaded,
                                 const fs::path& runner, const Clock& clock,
                                 const std::atomic<bool>& drain,
                                 Outages* outages,
                                 std::unique_ptr<SessionOpeners> sessions)
    : loaded_(loaded),
      settings_(loaded.settings),
      clock_(clock),
      drain_(drain),
      factories_(std::make_unique<Factories>(loaded, runner, clock, drain,
                                             outages, std::move(sessions))) {}

CampaignFactory::~CampaignFactory() = default;

CampaignEquipment& CampaignFactory::equipment() {
  return factories_->equipment;
}

Outages& CampaignFactory::outages() { return factories_->outages; }

agents::Timer& CampaignFactory::timer() { return factories_->timer; }

Result<Task> CampaignFactory::FindTask(const std::string& name) const {
  return factories_->tasks.FindTask(name);
}

Result<Task> CampaignFactory::TaskOf(const store::CampaignSpec& spec) const {
  return factories_->tasks.TaskOf(spec);
}

const TaskFinder& CampaignFactory::tasks() const { return factories_->tasks; }

EvaluatorFactory& CampaignFactory::evaluators() {
  return factories_->evaluators;
}

Result<void> CampaignFactory::Prepare(const Task& task,
                                      const std::string& policy) {
  TRY_DONE(CampaignEquipment::CheckPolicy(policy));
  const config::Settings settings = WithAgentModels(task, settings_);
  for (const Role role : kRoles) {
    TRY_DONE(factories_->agents.AgentsFor(task, settings, role));
  }
  TRY(baselines, ParseTorchBaselines(settings_.baselines));
  if (!baselines.empty()) TRY_DONE(CandidateOf(baselines.front(), task));
  TRY_DONE(EvaluatorFor(task));
  return {};
}

Result<config::Settings> CampaignFactory::SettingsOf(
    const store::CampaignSpec& campaign) const {
  auto settings = config::Continue(loaded_, StoredOf(campaign));
  if (settings) return settings;
  return Fail(settings.error().code,
              campaign.name + ": " + settings.error().what);
}

Result<config::Settings> CampaignFactory::SettingsToGoOn(
    const store::CampaignSpec& campaign) const {
  if (auto said = config::CheckSaid(loaded_, StoredOf(campaign)); !said) {
    return Fail(said.error().code, campaign.name + ": " + said.error().what);
  }
  return SettingsOf(campaign);
}

Result<std::shared_ptr<const std::vector<Lesson>>> CampaignFactory::LessonsFor(
    const Task& task, const config::Settings& settings) {
  auto memory = factories_->memories.find(settings.memory);
  if (memory == factories_->memories.end()) {
    TRY(loaded, Memory::Load(settings));
    memory =
        factories_->memories.emplace(settings.memory, std::move(loaded)).first;
  }
  const std::string hardware =
      task.root.language == Language::kCpp ? eval::ProcessorName() : "";
  TRY(near, memory->second.NearTo(task, hardware,
                                  settings.memory_same_task == "yes"
                                      ? OfItself::kUsed
                                      : OfItself::kLeftOut));
  return std::make_shared<const std::vector<Lesson>>(std::move(near));
}

Result<std::vector<std::string>> CampaignFactory::UnheededNotices(
    const Task& task, const config::Settings& settings) {
  return factories_->agents.UnheededNotices(task, settings);
}

Result<std::unique_ptr<agents::Model>> CampaignFactory::ChatModelFor(
    const config::ModelChoice& choice) {
  return factories_->models.ChatModelFor(choice);
}

Result<const agents::PromptTemplates*> CampaignFactory::PromptsOf(
    const config::Settings& settings) {
  return factories_->prompts.PromptsOf(settings);
}

Result<eval::Evaluator*> CampaignFactory::EvaluatorFor(const Task& task) {
  return factories_->evaluators.EvaluatorFor(task);
}

std::int64_t CampaignFactory::ParallelOn(
    const std::vector<Station>& stations) const {
  if (config::IsGiven(loaded_, "parallel")) return settings_.parallel;
  return static_cast<std::int64_t>(stations.size());
}

}  // namespace coppice::engine
