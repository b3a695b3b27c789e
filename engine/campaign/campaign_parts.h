// What a campaign is composed of.  Nothing here is owned; everything outlives
// the campaign that is given it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/prompt/request_options.h"
#include "agents/prompt/window_options.h"
#include "engine/campaign/agent.h"
#include "engine/campaign/stop_rules.h"
#include "store/write/caps.h"

namespace coppice {
struct Task;
}
namespace coppice::agents {
class PromptTemplates;
}
namespace coppice::config {
enum class Agents : std::uint8_t;
}
namespace coppice::search {
class ModelRule;
class Policy;
}  // namespace coppice::search
namespace coppice::store {
class Database;
}

namespace coppice::engine {

class Clock;
class NamedAgents;
struct Station;

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
  std::string hardware;     // Told to the agents of what was not measured yet.
  int threads = 1;          // That a candidate may use.
  config::Agents agents{};  // A team.
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
