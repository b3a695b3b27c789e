#include "engine/factory/campaign_equipment.h"

#include <optional>
#include <utility>

#include "config/model_list.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/prompt_facts.h"
#include "engine/campaign/station.h"
#include "engine/factory/agent_factory.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/factory/prompt_sets.h"
#include "eval/host/machine.h"
#include "search/policies/model_rule.h"
#include "search/policy.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
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

CampaignEquipment::CampaignEquipment(AgentFactory& agents,
                                     EvaluatorFactory& evaluators,
                                     PromptSets& prompts, const Clock& clock)
    : agents_(agents),
      evaluators_(evaluators),
      prompts_(prompts),
      clock_(clock) {}

CampaignEquipment::~CampaignEquipment() = default;

Result<void> CampaignEquipment::CheckModelRule(const std::string& text) {
  return search::MakeModelRule(text).map([](const auto&) {});
}

Result<void> CampaignEquipment::CheckPolicy(const std::string& text) {
  return search::MakePolicy(text).map([](const auto&) {});
}

Result<CampaignParts> CampaignEquipment::Equip(
    const Task& task, const config::Settings& said,
    const store::CampaignSpec& campaign, store::Database& database) {
  const config::Settings settings = WithAgentModels(task, said);
  TRY(chosen,
      MadeOnce(policies_, store::PolicyOf(campaign), search::MakeStoredPolicy));
  TRY(rule,
      MadeOnce(model_rules_, settings.model_choice, search::MakeModelRule));
  std::vector<Roster> rosters;
  std::vector<Agent> first;  // By role.
  for (const Role role : kRoles) {
    TRY(agents, agents_.AgentsFor(task, settings, role));
    first.push_back(agents.front());
    if (agents.size() == 1) continue;
    rosters.push_back(RosterOf(settings, role, std::move(agents)));
  }
  TRY(stations, evaluators_.StationsFor(task));
  TRY(prompts, prompts_.PromptsOf(settings));
  named_.push_back(std::make_unique<NamedAgents>(
      [this, &task, settings](Role role, const std::string& model) {
        return agents_.AgentNamed(task, settings, role, model);
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
                       named_.back().get()};
}

Result<CampaignParts> CampaignFactory::Equip(
    const Task& task, const store::CampaignSpec& campaign,
    store::Database& database) {
  TRY(said, SettingsToGoOn(campaign));
  return equipment().Equip(task, said, campaign, database);
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

}  // namespace coppice::engine
