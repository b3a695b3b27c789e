// GET /api/campaign: one, with all that its page shows.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "engine/inspector/campaign_summary.h"
#include "engine/inspector/directive_json.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "store/read/campaign_pages.h"
#include "store/read/history.h"
#include "store/read/improvements.h"
#include "store/read/node_columns.h"
#include "store/write/live_campaigns.h"

namespace coppice::inspector {
namespace {

constexpr int kEvents = 100;
constexpr std::size_t kBands = 40;

Json SettingJson(const store::CampaignSetting& setting) {
  return {{"key", setting.key},
          {"value", setting.value},
          {"origin", setting.origin}};
}

Json LeadersJson(const std::vector<store::Leader>& leaders) {
  Json all = Json::array();
  for (std::size_t i = 0; i < leaders.size(); ++i) {
    const store::Leader& leader = leaders[i];
    Json one = {{"rank", i + 1}, {"node", Index(leader.line.node)}};
    AddSpeedup(one, leader.line.speedup);
    one["told_apart"] =
        i > 0 &&
        Over(*leaders[0].line.speedup, *leader.line.speedup).Sign() != 0;
    one["confirmed"] = leader.is_confirmed;
    one["technique"] = leader.line.technique;
    all.push_back(std::move(one));
  }
  return all;
}

Json InFlightJson(const store::InFlight& attempt) {
  const bool asks = !attempt.role.empty();
  return {
      {"decision", attempt.decision},
      {"parent", Index(attempt.parent)},
      {"policy", attempt.policy},
      {"reason", attempt.reason},
      {"stage", Name(attempt.stage)},
      {"role", TextOrNull(attempt.role)},
      {"model", asks ? Json(attempt.model) : Json(nullptr)},
      {"since_s", attempt.since_s},
      {"bound_usd", asks ? Json(attempt.bound_usd) : Json(nullptr)},
      {"tokens", attempt.tokens > 0 ? Json(attempt.tokens) : Json(nullptr)}};
}

Json EventJson(const store::Happening& happening) {
  return {{"id", happening.id},
          {"at_s", happening.at_s},
          {"kind", happening.kind},
          {"subject", OrNull(happening.subject)},
          {"detail", happening.detail}};
}

// What the campaign had spent when each node was committed.
Json CurveJson(const store::CampaignRow& row,
               const std::vector<store::Improvement>& steps,
               double updated_at_s, const store::NodeColumns& columns,
               const std::vector<float>& costs_usd) {
  Json curve = Json::array();
  double usd = 0.0;
  std::size_t counted = 0;
  const auto add = [&](std::int64_t node, double at_s,
                       std::optional<double> speedup,
                       std::optional<double> best) {
    for (; counted <= static_cast<std::size_t>(node) &&
           counted < costs_usd.size();
         ++counted) {
      usd += static_cast<double>(costs_usd[counted]);
    }
    curve.push_back({{"attempts", node},
                     {"since_start_s", at_s - row.spec.created_at_s},
                     {"usd", usd},
                     {"node", node},
                     {"speedup", OrNull(speedup)},
                     {"best", OrNull(best)}});
  };
  for (const store::Improvement& step : steps) {
    add(Index(step.node), step.committed_at_s, step.speedup, step.speedup);
  }
  if (!steps.empty() && Index(steps.back().node) + 1 < row.nodes) {
    const float last =
        columns.marks.empty() ? 0.0F : columns.marks.back().speedup;
    add(row.nodes - 1, updated_at_s,
        last > 0.0F ? std::optional<double>(last) : std::nullopt,
        steps.back().speedup);
  }
  return curve;
}

// Verdicts in so many equal parts of the nodes but the root.
Json BandsJson(const store::NodeColumns& columns) {
  Json bands = Json::array();
  if (columns.size() < 2) return bands;
  const std::size_t nodes = columns.size() - 1;
  const std::size_t parts = std::min(kBands, nodes);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t from = 1 + i * nodes / parts;
    const std::size_t to = (i + 1) * nodes / parts;  // Both are in it.
    std::array<std::int64_t, kVerdictNames.size()> counts{};
    for (std::size_t n = from; n <= to; ++n) {
      ++counts.at(columns.marks[n].verdict);
    }
    bands.push_back({{"from", from}, {"to", to}, {"counts", counts}});
  }
  return bands;
}

}  // namespace

Result<http::Answer> AnswerCampaign(const QueryParameters& asked) {
  TRY(chosen, asked.Choose());
  store::Database& database = chosen.database();
  const store::CampaignRow& row = chosen.campaign;
  const auto& path = asked.inspector().files().paths()[chosen.file];
  TRY(summary, SummaryJson(database, chosen.file, path, row));
  TRY(hardware, store::ReadHardware(database, row.id));
  TRY(baselines, store::ReadBaselineRows(database, row.id));
  TRY(in_flight, store::ReadInFlight(database, row.id));
  TRY(happenings, store::ReadHappenings(database, row.id, kEvents));
  TRY(leaders, store::ReadLeaders(database, row.id));
  TRY(steps, store::ReadImprovements(database, row.id));
  Json page = {{"campaign", std::move(summary)},
               {"settings", ArrayOf(row.spec.settings, SettingJson)},
               {"hardware", OrNull(hardware)},
               {"baselines", RowsJson(baselines, {"quoted", "decided"})},
               {"in_flight", ArrayOf(in_flight, InFlightJson)},
               {"events", ArrayOf(happenings, EventJson)},
               {"leaders", LeadersJson(leaders)}};
  const auto describe = [&](const store::NodeColumns& columns,
                            const store::NodeDetails& details) -> Result<void> {
    page["curve"] =
        CurveJson(row, steps, row.updated_at_s, columns, details.costs_usd);
    page["bands"] = BandsJson(columns);
    page["policies"] = columns.policy_names;
    page["techniques"] = details.technique_names;
    return {};
  };
  TRY_DONE(asked.inspector().WithNodes(database, row, describe));
  TRY_ASSIGN(page["directives"], DirectivesJson(database, row.id));
  return JsonAnswer(page);
}

}  // namespace coppice::inspector
