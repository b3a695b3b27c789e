#include "engine/factory/campaign_factory.h"

#include <map>
#include <utility>

#include "agents/prompt/prompt.h"
#include "agents/provider/model.h"
#include "config/continue.h"
#include "config/load.h"
#include "config/model_list.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/policy_terms.h"
#include "engine/campaign/prompt_inputs.h"
#include "engine/campaign/stop_rules.h"
#include "engine/campaign/torch_baselines.h"
#include "engine/factory/agent_factory.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/memory.h"
#include "engine/factory/model_factory.h"
#include "engine/factory/prompt_sets.h"
#include "engine/factory/session_openers.h"
#include "engine/factory/task_finder.h"
#include "engine/process/clock.h"
#include "engine/process/system_timer.h"
#include "eval/host/machine.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/evaluators.h"
#include "search/policies/model_rule.h"
#include "search/policy.h"
#include "store/records/candidate.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace fs = std::filesystem;
namespace {

store::Cap CapOf(std::optional<double> tokens, std::optional<double> usd) {
  store::Cap cap;
  if (tokens) cap.tokens = static_cast<std::int64_t>(*tokens);
  cap.usd = usd;
  return cap;
}

store::Caps CapsOf(const config::Settings& settings) {
  return {CapOf(settings.cap_tokens, settings.cap_usd),
          {CapOf(settings.plan_cap_tokens, settings.plan_cap_usd),
           CapOf(settings.code_cap_tokens, settings.code_cap_usd),
           CapOf(settings.debug_cap_tokens, settings.debug_cap_usd)},
          CapOf(settings.day_cap_tokens, settings.day_cap_usd),
          settings.settle_after_s};
}

agents::WindowOptions WindowOf(const config::Settings& settings) {
  return {static_cast<int>(settings.window_history),
          static_cast<int>(settings.window_leaders),
          settings.window_cap == "all" ? agents::WindowCap::kAll
                                       : agents::WindowCap::kOthers,
          settings.window_leaders_rule == "board" ? agents::Leaders::kBoard
                                                  : agents::Leaders::kOutside};
}

agents::RequestOptions RequestOptionsOf(const config::Settings& settings) {
  agents::RequestOptions request_options;
  if (settings.system_message == "v1") {
    request_options.system_message = agents::SystemMessage::kV1;
  } else if (settings.system_message == "v2") {
    request_options.system_message = agents::SystemMessage::kV2;
  }
  if (settings.grounding == "required") {
    request_options.grounding = agents::Grounding::kRequired;
  } else if (settings.grounding == "off") {
    request_options.grounding = agents::Grounding::kOff;
  }
  return request_options;
}

std::vector<config::Override> StoredOf(const store::CampaignSpec& campaign) {
  std::vector<config::Override> stored;
  for (const store::CampaignSetting& setting : campaign.settings) {
    stored.push_back({setting.key, setting.value});
  }
  return stored;
}

// What is kept by this name, which `make` makes the first time.
template <class Kept, class Make>
Result<Kept*> MadeOnce(std::map<std::string, std::unique_ptr<Kept>>& kept,
                       const std::string& name, const Make& make) {
  std::unique_ptr<Kept>& one = kept[name];
  if (one == nullptr) {
    TRY_ASSIGN(one, make(name));
  }
  return one.get();
}

// The roster of a role with several models.
Roster RosterOf(const config::Settings& settings, Role role,
                std::vector<Agent> agents) {
  Roster roster;
  roster.role = role;
  config::ModelList models;
  for (const AgentSettings& agent : SettingsOfAgents(settings, role)) {
    roster.names.push_back(config::NameOf(agent.model));
    models.push_back(agent.model);
  }
  roster.models = config::Print(models);
  roster.agents = std::move(agents);
  return roster;
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
        agents(models, std::move(sessions)) {}

  SystemTimer timer;
  Outages own_outages;
  Outages& outages;
  PromptSets prompts;
  EvaluatorFactory evaluators;
  TaskFinder tasks;
  ModelFactory models;
  AgentFactory agents;
  std::map<std::string, std::unique_ptr<search::Policy>> policies;
  std::map<std::string, std::unique_ptr<search::ModelRule>> model_rules;
  std::vector<std::unique_ptr<NamedAgents>> named;  // Of what Equip returned.
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
  TRY_DONE(
      search::MakeModelRule(settings.model_choice).map([](const auto&) {}));
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
  TRY_DONE(search::MakePolicy(policy).map([](const auto&) {}));
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

CampaignFacts CampaignFactory::FactsOf(const Task& task,
                                       const store::CampaignRow& campaign,
                                       const config::Settings& settings,
                                       store::Database& database) const {
  return {.database = database,
          .task = task,
          .campaign = campaign.id,
          .seed = campaign.spec.seed,
          .window = WindowOf(settings),
          .hardware = eval::ProcessorName(),
          .threads = static_cast<int>(settings.threads),
          .request_options = RequestOptionsOf(settings),
          .budget = campaign.spec.budget_attempts};
}

Result<const agents::PromptTemplates*> CampaignFactory::PromptsOf(
    const config::Settings& settings) {
  return factories_->prompts.PromptsOf(settings);
}

Result<CampaignParts> CampaignFactory::Equip(
    const Task& task, const store::CampaignSpec& campaign,
    store::Database& database) {
  TRY(said, SettingsToGoOn(campaign));
  const config::Settings settings = WithAgentModels(task, std::move(said));
  TRY(chosen, MadeOnce(factories_->policies, store::PolicyOf(campaign),
                       search::MakeStoredPolicy));
  TRY(rule, MadeOnce(factories_->model_rules, settings.model_choice,
                     search::MakeModelRule));
  std::vector<Roster> rosters;
  std::vector<Agent> first;  // By role.
  for (const Role role : kRoles) {
    TRY(agents, factories_->agents.AgentsFor(task, settings, role));
    first.push_back(agents.front());
    if (agents.size() == 1) continue;
    rosters.push_back(RosterOf(settings, role, std::move(agents)));
  }
  TRY(stations, factories_->evaluators.StationsFor(task));
  TRY(prompts, PromptsOf(settings));
  factories_->named.push_back(std::make_unique<NamedAgents>(
      [this, &task, settings](Role role, const std::string& model) {
        return factories_->agents.AgentNamed(task, settings, role, model);
      }));
  return CampaignParts{database,
                       task,
                       *chosen,
                       first[0],
                       first[1],
                       first[2],
                       *prompts,
                       std::move(stations),
                       clock_,
                       WindowOf(settings),
                       eval::ProcessorName(),
                       static_cast<int>(settings.threads),
                       settings.agents,
                       CapsOf(settings),
                       settings.budget_evaluator_s,
                       RequestOptionsOf(settings),
                       {},
                       settings.tuning_trials,
                       std::move(rosters),
                       rule,
                       factories_->named.back().get()};
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
