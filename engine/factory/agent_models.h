// Which model each agent of a campaign asks.
//
// The catalogue writes no Python.  On a task in it, an agent that is left to
// the catalogue asks the first models that are named for code, debug or plan
// agent: one that is named is asked everything.  Of several models the
// catalogue is left out there.  On other tasks each agent asks its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "store/records/model_call.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine {

// What the settings say of the agent of a role that asks one model.
struct AgentSettings {
  Role role = Role::kPlan;
  config::ModelChoice model;
  std::optional<double> temperature;
  std::optional<std::string> effort;
};

// For each of its models, in their order.
std::vector<AgentSettings> SettingsOfAgents(const config::Settings& settings,
                                            Role role);

// kUsage if an effort is set of an agent whose model is told of none.
Result<void> CheckEffort(const AgentSettings& agent, bool heeds_effort);

// What a user shall know of a model that is told of no temperature, though some
// of its agents have one and no effort in its place: "openai:gpt-5.4-mini takes
// no temperature, so plan 0.8 does not apply; --plan-effort ...".  Empty: there
// is nothing to tell.  All agents are of that model.
std::string UnheededNotice(const std::vector<AgentSettings>& agents,
                           bool heeds_effort);

// `settings` with the models that are asked on `task`.
config::Settings WithAgentModels(const Task& task, config::Settings settings);

// kUsage where so many more `attempts` would all be given up: where a task in
// Python, or a plan without marks, is left to the catalogue.
Result<void> CheckAgents(const Task& task, const config::Settings& settings,
                         std::int64_t attempts);

}  // namespace coppice::engine
