#include "engine/inspector/campaign_summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/campaign/campaign_state.h"
#include "engine/campaign/rival.h"
#include "store/read/history.h"
#include "store/read/improvements.h"
#include "store/write/directives.h"

namespace coppice::inspector {
namespace {

constexpr std::int64_t kTrendPoints = 40;

// The best speedup after each of so many equal parts of the attempts.
Json TrendJson(const std::vector<store::Improvement>& steps,
               std::int64_t nodes) {
  Json trend = Json::array();
  const std::int64_t points = std::min(kTrendPoints, nodes);
  auto next = steps.begin();
  std::optional<double> best;
  for (std::int64_t i = 0; i < points; ++i) {
    const std::int64_t last = (i + 1) * nodes / points - 1;
    for (; next != steps.end() && Index(next->node) <= last; ++next) {
      best = next->speedup;
    }
    trend.push_back(OrNull(best));
  }
  return trend;
}

Json BestJson(const std::vector<store::Leader>& leaders) {
  if (leaders.empty()) return nullptr;
  const auto rival = engine::RivalOf(leaders);
  Json best = {{"node", Index(leaders.front().line.node)}};
  AddSpeedup(best, leaders.front().line.speedup);
  best["told"] = !rival || rival->IsToldApart();
  return best;
}

}  // namespace

Result<Json> SummaryJson(store::Database& database, std::size_t file,
                         const std::filesystem::path& path,
                         const store::CampaignRow& row) {
  TRY(state, engine::StateOf(row.id, row.state, row.nodes, path));
  TRY(totals, store::ReadTotals(database, row.id));
  TRY(leaders, store::ReadLeaders(database, row.id, 2));
  TRY(steps, store::ReadImprovements(database, row.id));
  TRY(is_steered, store::IsSteered(database, row.id));
  const auto improvements = std::ranges::count_if(
      steps,
      [](const store::Improvement& step) { return step.node != kRootNode; });
  return Json{{"db", file},
              {"c", row.spec.name},
              {"task", row.spec.task_name},
              {"task_level", row.spec.task_level},
              {"policy", store::PolicyOf(row.spec)},
              {"seed", row.spec.seed},
              {"state", state},
              {"steered", is_steered},
              {"best", BestJson(leaders)},
              {"attempts", row.attempts},
              {"budget_attempts", row.spec.budget_attempts},
              {"nodes", row.nodes},
              {"verdicts", totals.verdicts},
              {"cost_usd", totals.cost_usd},
              {"claimed_usd", totals.claimed_usd},
              {"improvements", improvements},
              {"elapsed_s", row.elapsed_s},
              {"budget_s", OrNull(row.spec.budget_s)},
              {"created_at_s", row.spec.created_at_s},
              {"updated_at_s", row.updated_at_s},
              {"trend", TrendJson(steps, row.nodes)}};
}

}  // namespace coppice::inspector
