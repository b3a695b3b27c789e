#include "engine/factory/agent_factory.h"

#include <map>
#include <utility>

#include "agents/provider/model_table.h"
#include "agents/provider/providers.h"
#include "agents/provider/session_transport.h"
#include "config/model_list.h"
#include "config/settings.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/model_factory.h"
#include "store/records/own_providers.h"
#include "store/records/task.h"

namespace coppice::engine {

AgentFactory::AgentFactory(ModelFactory& models,
                           std::unique_ptr<SessionOpeners> sessions)
    : models_(models), sessions_(std::move(sessions)) {}

AgentFactory::~AgentFactory() = default;

Result<const SessionOpener*> AgentFactory::OpenerFor(
    const config::Settings& settings, const config::ModelChoice& choice) {
  const SessionOpener* none = nullptr;
  TRY(has_sessions, models_.HasSessions(settings, choice));
  if (!has_sessions || sessions_ == nullptr) return none;
  TRY(table, models_.TableOf(settings));
  return sessions_->OpenerFor(settings, choice, *table);
}

Result<std::vector<Agent>> AgentFactory::AgentsFor(
    const Task& task, const config::Settings& settings, Role role) {
  std::vector<Agent> agents;
  for (const AgentSettings& chosen : SettingsOfAgents(settings, role)) {
    TRY(model, models_.ModelFor(task, settings, chosen.model));
    TRY(heeds, models_.WhatItHeeds(settings, chosen.model));
    TRY_DONE(CheckEffort(chosen, heeds.effort));
    Agent& agent = agents.emplace_back();
    agent.model = model;
    agent.sampling.temperature = chosen.temperature;
    agent.sampling.effort = chosen.effort;
    agent.sampling.max_output_tokens =
        static_cast<int>(settings.max_output_tokens);
    agent.is_language_model = OwnProviderOf(chosen.model.provider).IsAsked();
    TRY_ASSIGN(agent.sessions, OpenerFor(settings, chosen.model));
  }
  return agents;
}

Result<Agent> AgentFactory::AgentNamed(const Task& task,
                                       const config::Settings& chosen,
                                       Role role, const std::string& model) {
  TRY(models, config::ParseModelList(model));
  config::Settings settings = chosen;
  (role == Role::kPlan   ? settings.plan_model
   : role == Role::kCode ? settings.code_model
                         : settings.debug_model) = models;
  config::Settings alone = settings;
  alone.plan_model = alone.code_model = alone.debug_model = models;
  TRY_DONE(CheckAgents(task, alone, 1));
  TRY(agents, AgentsFor(task, settings, role));
  return agents.front();
}

Result<std::vector<std::string>> AgentFactory::UnheededNotices(
    const Task& task, const config::Settings& chosen) {
  const config::Settings settings = WithAgentModels(task, chosen);
  const bool is_team = settings.agents == config::Agents::kTeam;
  std::map<std::string, std::vector<AgentSettings>> by_model;
  for (const Role role : kRoles) {
    if (!is_team && role != Role::kCode) continue;
    for (AgentSettings& agent : SettingsOfAgents(settings, role)) {
      by_model[config::NameOf(agent.model)].push_back(std::move(agent));
    }
  }
  std::vector<std::string> notices;
  for (const auto& [name, its_agents] : by_model) {
    TRY(has_sessions, models_.HasSessions(settings, its_agents.front().model));
    if (const auto why = agents::WhyNoJail(); has_sessions && why) {
      notices.push_back(name + ": " + *why);
    }
    TRY(heeds, models_.WhatItHeeds(settings, its_agents.front().model));
    if (heeds.temperature) continue;
    std::string notice = UnheededNotice(its_agents, heeds.effort);
    if (!notice.empty()) notices.push_back(std::move(notice));
  }
  return notices;
}

}  // namespace coppice::engine
