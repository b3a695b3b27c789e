// GET /api/node: one node, with all that its page shows but its calls.
#include <nlohmann/json.hpp>

#include "engine/documents/value_json.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/inspector/rows.h"
#include "store/read/node_pages.h"

namespace coppice::inspector {
namespace {

constexpr int kChildren = 50;
// Above that many nodes, counting takes longer than a page may.
constexpr std::int64_t kCountedNodes = 50'000;

// {"factor": 1.8, "low": 1.6, "high": 2.0}; null: there is none.
void FoldHint(Json& row) {
  Json hint = {{"factor", row["hint_factor"]},
               {"low", row["hint_low"]},
               {"high", row["hint_high"]}};
  for (const char* key : {"hint_factor", "hint_low", "hint_high"}) {
    row.erase(key);
  }
  row["hint"] = hint["factor"].is_null() ? Json(nullptr) : std::move(hint);
}

Result<Json> EvaluationsJson(store::Database& database, CampaignId campaign,
                             std::int64_t node, bool whole) {
  TRY(measured, store::ReadMeasured(database, campaign, node));
  Json evaluations = RowsJson(measured.evaluations);
  for (Json& evaluation : evaluations) {
    const auto ordinal = evaluation["ordinal"].get<std::int64_t>();
    CutText(evaluation, "log", "log_cut", whole);
    evaluation["results"] =
        RowsWhere(measured.workload_results, "ordinal", ordinal);
    evaluation["profiles"] = RowsWhere(measured.profiles, "ordinal", ordinal);
    evaluation["kernels"] = RowsWhere(measured.kernels, "ordinal", ordinal);
  }
  return evaluations;
}

Result<void> AddRelatives(store::Database& database, CampaignId campaign,
                          std::int64_t node, Json& page) {
  TRY(children, store::ReadChildren(database, campaign, node, kChildren));
  TRY(rows, store::ReadNodeRows(database, campaign, children.numbers));
  page["children"] = RowsJson(rows, {"refuted", "confirmed"});
  page["children_total"] = children.total;
  TRY(parents, store::ReadParentsOf(database, campaign, node));
  page["parents"] = ArrayOf(parents.rows, [](const auto& row) {
    return cli::ValueJson(row.front());
  });
  return {};
}

}  // namespace

Result<http::Answer> AnswerNode(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  TRY(chosen, asked.Choose());
  store::Database& database = chosen.database();
  const CampaignId campaign = chosen.campaign.id;
  const bool whole = asked.TextOr("whole", "0") == "1";
  const std::int64_t numbers[] = {node};
  TRY(rows, store::ReadNodeRows(database, campaign, numbers));
  if (rows.rows.empty()) {
    return Fail(Errc::kNotFound, "n=" + std::to_string(node) + ": " +
                                     chosen.campaign.spec.name + " has " +
                                     std::to_string(chosen.campaign.nodes) +
                                     " nodes, counted from 0");
  }
  Json page = RowJson(rows, 0, {"refuted", "confirmed"});
  TRY(detail, store::ReadNodeDetail(database, campaign, node));
  page.update(RowJson(detail, 0, {"plan_grounded"}));
  FoldHint(page);
  CutText(page, "source", "source_cut", whole);
  CutText(page, "log", "log_cut", whole);
  CutText(page, "annotated", "annotated_cut", whole);
  TRY_DONE(AddRelatives(database, campaign, node, page));
  page["shown"] = nullptr;
  if (chosen.campaign.nodes <= kCountedNodes) {
    TRY_ASSIGN(page["shown"], store::CountShown(database, campaign, node));
  }
  TRY_ASSIGN(page["evaluations"],
             EvaluationsJson(database, campaign, node, whole));
  TRY(tuning, store::ReadTuningTrials(database, campaign, node));
  page["tuning"] = RowsJson(tuning, {"chosen"});
  page["settings_note"] = nullptr;
  return JsonAnswer(page);
}

Result<http::Answer> AnswerSource(const QueryParameters& asked) {
  TRY(node, asked.Count("n"));
  TRY(chosen, asked.Choose());
  TRY(rows, store::ReadSource(chosen.database(), chosen.campaign.id, node));
  if (rows.rows.empty()) {
    return Fail(Errc::kNotFound,
                "n=" + std::to_string(node) + ": there is no such node");
  }
  Json source = RowJson(rows, 0);
  CutText(source, "source", "cut", asked.TextOr("whole", "0") == "1");
  return JsonAnswer(source);
}

}  // namespace coppice::inspector
