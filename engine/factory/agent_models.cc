#include "engine/factory/agent_models.h"

#include <algorithm>
#include <iterator>

#include "config/keys.h"
#include "config/model_list.h"
#include "store/records/formatted.h"
#include "store/records/own_providers.h"

namespace coppice::engine {
namespace {

using config::Settings;

// In the order in which they stand in for others: who plans writes no kernels.
constexpr config::ModelList Settings::*kStandIns[] = {
    &Settings::code_model, &Settings::debug_model, &Settings::plan_model};

bool IsCatalogue(const config::ModelChoice& model) {
  return OwnProviderOf(model.provider).answerer == Answerer::kCatalogue;
}

// No other is named.
bool IsLeftToIt(const config::ModelList& models) {
  return std::ranges::all_of(models, IsCatalogue);
}

// "--plan-effort"
std::string EffortOption(Role role) {
  return "--" + config::OptionName(std::string(Name(role)) + "_effort");
}

// "plan 0.8", "code 0.1" and "debug 0.1" -> "plan 0.8, code 0.1 and debug 0.1".
std::string Listed(const std::vector<std::string>& items) {
  std::string list;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) list += i + 1 < items.size() ? ", " : " and ";
    list += items[i];
  }
  return list;
}

std::string ShortText(double number) { return Formatted("%.6g", number); }

}  // namespace

std::vector<AgentSettings> SettingsOfAgents(const Settings& settings,
                                            Role role) {
  const config::ModelList* models = &settings.debug_model;
  AgentSettings common{
      role, {}, settings.debug_temperature, settings.debug_effort};
  if (role == Role::kPlan) {
    models = &settings.plan_model;
    common.temperature = settings.plan_temperature;
    common.effort = settings.plan_effort;
  } else if (role == Role::kCode) {
    models = &settings.code_model;
    common.temperature = settings.code_temperature;
    common.effort = settings.code_effort;
  }
  std::vector<AgentSettings> agents;
  for (const config::ModelChoice& model : *models) {
    agents.push_back(common);
    agents.back().model = model;
  }
  return agents;
}

Result<void> CheckEffort(const AgentSettings& agent, bool heeds_effort) {
  if (!agent.effort || heeds_effort) return {};
  return Fail(Errc::kUsage,
              EffortOption(agent.role) + " " + *agent.effort + ": " +
                  config::NameOf(agent.model) +
                  " takes no effort of reasoning; leave it out, or name "
                  "another model with --" +
                  std::string(Name(agent.role)) + "-model");
}

std::string UnheededNotice(const std::vector<AgentSettings>& agents,
                           bool heeds_effort) {
  std::vector<std::string> unheeded;
  std::vector<std::string> options;
  for (const AgentSettings& agent : agents) {
    if (!agent.temperature || agent.effort) continue;
    unheeded.push_back(std::string(Name(agent.role)) + " " +
                       ShortText(*agent.temperature));
    options.push_back(EffortOption(agent.role));
  }
  if (unheeded.empty()) return "";
  const bool is_one = unheeded.size() == 1;
  std::string notice = config::NameOf(agents.front().model) +
                       " takes no temperature, so " + Listed(unheeded) +
                       (is_one ? " does not apply" : " do not apply");
  if (heeds_effort) {
    notice += "; " + Listed(options) + (is_one ? " says" : " say") +
              " how hard it reasons, which is its provider's default now";
  }
  return notice;
}

Settings WithAgentModels(const Task& task, Settings settings) {
  if (task.root.language != Language::kPython) return settings;
  const auto* const named = std::ranges::find_if(
      kStandIns, [&](auto member) { return !IsLeftToIt(settings.*member); });
  if (named == std::end(kStandIns)) return settings;
  std::erase_if(settings.**named, IsCatalogue);
  const config::ModelList stand_in = settings.**named;
  for (const auto member : kStandIns) {
    config::ModelList& models = settings.*member;
    std::erase_if(models, IsCatalogue);
    if (models.empty()) models = stand_in;
  }
  return settings;
}

Result<void> CheckAgents(const Task& task, const Settings& settings,
                         std::int64_t attempts) {
  const bool may_mark = task.root.language == Language::kSim ||
                        settings.agents == config::Agents::kAlone ||
                        settings.grounding != "off";
  if (attempts > 0 && !may_mark &&
      std::ranges::any_of(settings.code_model, IsCatalogue)) {
    return Fail(Errc::kUsage,
                "--grounding off: the catalogue changes what plans mark; name "
                "models, as in --plan-model openai:MODEL --code-model "
                "openai:MODEL --debug-model openai:MODEL");
  }
  if (attempts <= 0 || task.root.language != Language::kPython ||
      !IsLeftToIt(WithAgentModels(task, settings).code_model)) {
    return {};
  }
  return Fail(Errc::kUsage,
              task.definition.name +
                  ": is in Python, which the catalogue does not write; name a "
                  "model for all agents, as in --code-model openai:MODEL");
}

}  // namespace coppice::engine
