// What an agent's prompt is made by: facts of its campaign and of its attempt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agents/prompt/request_options.h"
#include "agents/prompt/window_options.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/plan.h"

namespace coppice {
struct NodeRecord;
struct Task;
}  // namespace coppice
namespace coppice::store {
class Database;
}

namespace coppice::engine {

// The same for all briefings of a campaign.
struct CampaignFacts {
  store::Database& database;
  const Task& task;
  CampaignId campaign{};
  std::uint64_t seed = 0;
  agents::WindowOptions window;
  std::string hardware;  // Told of what was not measured anywhere yet.
  int threads = 1;       // That a candidate may use.
  agents::RequestOptions request_options{};
  std::int64_t budget = 0;  // In attempts; 0: not known.
};

struct AttemptFacts {
  Role role = Role::kPlan;
  std::int64_t decision = 0;
  const NodeRecord& selected;         // With its texts.
  std::optional<Plan> plan;           // The code agent's, to realise.
  std::int64_t earlier_attempts = 0;  // On `selected`, before this one.
  // As many nodes there were when it was decided on: those whose attempts the
  // agent is told of, if they are in no window.
  std::int64_t nodes_seen = 0;
  std::optional<NodeId> mate{};  // To combine it with; not by who debugs.
};

}  // namespace coppice::engine
