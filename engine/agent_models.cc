#include "engine/agent_models.h"

#include <algorithm>
#include <iterator>

namespace coppice::engine {
namespace {

using config::Settings;

// In the order in which they stand in for others: who plans writes no kernels.
constexpr config::ModelChoice Settings::*kStandIns[] = {
    &Settings::code_model, &Settings::debug_model, &Settings::plan_model};

bool IsCatalogue(const config::ModelChoice& choice) {
  return choice.provider == "catalogue";
}

}  // namespace

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
