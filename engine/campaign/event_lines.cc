#include "engine/campaign/event_lines.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "store/records/node.h"

namespace coppice::engine {
namespace {

// In the order in which the header shows them.
using Json = nlohmann::ordered_json;

Json NumberOf(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

std::string LineOf(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string CommitEvent(const Progress& progress, const NodeRecord& node) {
  const auto& interval = progress.best_speedup.interval;
  return LineOf(
      {{"event", "node"},
       {"campaign", progress.campaign},
       {"attempts", progress.attempts},
       {"of", progress.budget_attempts},
       {"node", Index(node.id)},
       {"verdict", Name(node.evaluation.verdict)},
       {"best_node", Index(progress.best)},
       {"best_speedup", NumberOf(progress.best_speedup.ratio)},
       {"best_low", interval ? NumberOf(interval->low) : Json(nullptr)},
       {"best_high", interval ? NumberOf(interval->high) : Json(nullptr)},
       {"left_s", NumberOf(progress.left_s)},
       {"elapsed_s", NumberOf(progress.elapsed_s)}});
}

std::string ConfirmEvent(const Progress& progress, NodeId leader) {
  return LineOf({{"event", "confirm"},
                 {"campaign", progress.campaign},
                 {"node", Index(leader)}});
}

std::string SaidEvent(std::string_view text) {
  return LineOf({{"event", "said"}, {"text", text}});
}

}  // namespace coppice::engine
