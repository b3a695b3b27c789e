// GET /api/failures: failing nodes, in groups by the line that says what
// failed.
#include <nlohmann/json.hpp>

#include "engine/campaign/failure_groups.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/history.h"
#include "store/read/node_columns.h"

namespace coppice::inspector {
namespace {

Json GroupJson(const engine::FailureGroup& group) {
  return {{"verdict", Name(group.verdict)},
          {"breach", TextOrNull(group.rule)},
          {"line", group.line},
          {"count", group.count},
          {"nodes", group.nodes},
          {"techniques", group.techniques},
          {"policies", group.policies},
          {"example", {{"node", group.nodes.front()}, {"log", nullptr}}}};
}

}  // namespace

Result<http::Answer> AnswerFailures(const QueryParameters& asked) {
  TRY(chosen, asked.Choose());
  store::Database& database = chosen.database();
  const store::CampaignRow& row = chosen.campaign;
  TRY(further,
      asked.inspector().trees().With(
          database, row,
          [](const store::NodeColumns& columns) -> Result<std::int64_t> {
            return columns.further;
          }));
  const auto read = [&](engine::FailureLines& lines) -> Result<Json> {
    TRY_DONE(engine::BringUpToDate(database, row, further, lines));
    return ArrayOf(engine::GroupFailures(lines), GroupJson);
  };
  TRY(groups, asked.inspector().failures().With(row, read));
  for (Json& group : groups) {
    const auto node = group["example"]["node"].get<std::int64_t>();
    auto log = store::ReadLog(database, row.id, static_cast<NodeId>(node));
    if (log) group["example"]["log"] = *std::move(log);
    CutText(group["example"], "log", "log_cut", false);
  }
  return JsonAnswer(groups);
}

}  // namespace coppice::inspector
