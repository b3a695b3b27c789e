// What a campaign is composed of.  Nothing here is owned; everything outlives
// the campaign that is given it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/prompt.h"
#include "agents/prompt/request_options.h"
#include "agents/prompt/window.h"
#include "agents/provider/model.h"
#include "config/settings.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/stop_rules.h"
#include "engine/process/clock.h"
#include "search/policies/model_rule.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/task.h"
#include "store/write/wire_calls.h"

namespace coppice::sessions {
struct SessionServices;
}

namespace coppice::engine {

class NamedAgents;

struct Agent {
  agents::Model* model = nullptr;
  Sampling sampling;
  // It takes its time, costs and errs: its calls are given up when somebody
  // asks to stop, and an answer that cannot be read is asked for once more. The
  // embedded ones would say the same again, at once.
  bool is_language_model = false;
  // If it works in sessions.  It mends by its tools what it would be asked for
  // once more.
  const sessions::SessionServices* office = nullptr;
};

// The models of a role that has several.
struct Roster {
  Role role = Role::kPlan;
  std::string models;              // As the setting has them.
  std::vector<std::string> names;  // Of each,
  std::vector<Agent> agents;       // and who it is.
};

struct CampaignParts {
  store::Database& database;
  const Task& task;
  const search::Policy& policy;
  Agent plan;
  Agent code;
  Agent debug;
  const agents::PromptTemplates& prompts;
  std::vector<Station> stations;  // One at least.
  const Clock& clock;
  agents::WindowOptions window;
  std::string hardware;  // Told to the agents of what was not measured yet.
  int threads = 1;       // That a candidate may use.
  config::Agents agents = config::Agents::kTeam;
  store::Caps caps{};
  std::optional<double> budget_evaluator_s{};
  agents::RequestOptions request_options{};
  StopRules stop{};
  std::int64_t tuning_trials = 0;  // Of a candidate with open numbers.
  std::vector<Roster> rosters{};   // By role; the agents above are their first.
  const search::ModelRule* model_rule = nullptr;  // If there are any.
  NamedAgents* named = nullptr;  // Null: people can name no others.
};

}  // namespace coppice::engine
