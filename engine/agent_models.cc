#include "engine/agent_models.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "config/keys.h"

namespace coppice::engine {
namespace {

using config::Settings;

// In the order in which they stand in for others: who plans writes no kernels.
constexpr config::ModelChoice Settings::*kStandIns[] = {
    &Settings::code_model, &Settings::debug_model, &Settings::plan_model};

bool IsCatalogue(const config::ModelChoice& choice) {
  return choice.provider == "catalogue";
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

std::string ShortText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

}  // namespace

AgentSettings SettingsOfAgent(const Settings& settings, Role role) {
  switch (role) {
    case Role::kPlan:
      return {role, settings.plan_model, settings.plan_temperature,
              settings.plan_effort};
    case Role::kCode:
      return {role, settings.code_model, settings.code_temperature,
              settings.code_effort};
    case Role::kDebug:
      break;
  }
  return {role, settings.debug_model, settings.debug_temperature,
          settings.debug_effort};
}

std::string NameOf(const config::ModelChoice& choice) {
  return choice.model.empty() ? choice.provider
                              : choice.provider + ":" + choice.model;
}

Result<void> CheckEffort(const AgentSettings& agent, bool heeds_effort) {
  if (!agent.effort || heeds_effort) return {};
  return Fail(Errc::kUsage,
              EffortOption(agent.role) + " " + *agent.effort + ": " +
                  NameOf(agent.model) +
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
  std::string notice = NameOf(agents.front().model) +
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
      kStandIns, [&](auto member) { return !IsCatalogue(settings.*member); });
  if (named == std::end(kStandIns)) return settings;
  const config::ModelChoice stand_in = settings.**named;
  for (const auto member : kStandIns) {
    if (IsCatalogue(settings.*member)) settings.*member = stand_in;
  }
  return settings;
}

Result<void> CheckAgents(const Task& task, const Settings& settings,
                         std::int64_t attempts) {
  const bool may_mark = task.root.language == Language::kSim ||
                        settings.agents == config::Agents::kAlone ||
                        settings.grounding != "off";
  if (attempts > 0 && !may_mark && IsCatalogue(settings.code_model)) {
    return Fail(Errc::kUsage,
                "--grounding off: the catalogue changes what plans mark; name "
                "models, as in --plan-model openai:MODEL --code-model "
                "openai:MODEL --debug-model openai:MODEL");
  }
  if (attempts <= 0 || task.root.language != Language::kPython ||
      !IsCatalogue(WithAgentModels(task, settings).code_model)) {
    return {};
  }
  return Fail(Errc::kUsage,
              task.definition.name +
                  ": is in Python, which the catalogue does not write; name a "
                  "model for all agents, as in --code-model openai:MODEL");
}

}  // namespace coppice::engine
