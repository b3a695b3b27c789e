#include <string>

#include "store/care/maintenance.h"
#include "store/connection.h"
#include "store/digest.h"
#include "store/write/numbering.h"

namespace coppice::store {
namespace {

// Every column of every row, each with its type and length; then a mark.
void AddRows(FieldHasher& hasher, SQLite::Database& sqlite, CampaignId campaign,
             const char* table, const char* sql) {
  hasher.Add(std::string_view(table));
  SQLite::Statement read(sqlite, sql);
  read.bind(1, Index(campaign));
  while (read.executeStep()) {
    hasher.Add(std::string_view("row"));
    for (int i = 0; i < read.getColumnCount(); ++i) {
      const SQLite::Column column = read.getColumn(i);
      hasher.Add(std::int64_t{column.getType()});
      hasher.Add(std::string_view{column.getString()});
    }
  }
  hasher.Add(std::string_view("end"));
}

constexpr const char* kNodes =
    "SELECT n.number, n.parent_number, n.verdict, n.language, n.entry_symbol,"
    " s.sha256, a.decision, n.changed_inside, n.changed_outside, p.technique,"
    " p.advice, p.anchors, p.grounded, t.sha256"
    " FROM node n LEFT JOIN blob s ON s.blob_id = n.source_blob"
    " LEFT JOIN attempt a ON a.attempt_id = n.attempt_id"
    " LEFT JOIN plan p ON p.plan_id = n.plan_id"
    " LEFT JOIN blob t ON t.blob_id = p.annotated_blob"
    " WHERE n.campaign_id = ? ORDER BY n.number";

constexpr const char* kAttempts =
    "SELECT a.decision, a.parent_number, a.policy, a.stage, a.language,"
    " a.entry_symbol, s.sha256, a.changed_inside, a.changed_outside,"
    " a.no_candidate_reason, p.technique, p.advice, p.anchors, p.grounded,"
    " t.sha256, (SELECT m.parent_number FROM attempt_parent m"
    "   WHERE m.attempt_id = a.attempt_id AND m.position = 1)"
    " FROM attempt a LEFT JOIN blob s ON s.blob_id = a.source_blob"
    " LEFT JOIN plan p ON p.plan_id = a.plan_id"
    " LEFT JOIN blob t ON t.blob_id = p.annotated_blob"
    " WHERE a.campaign_id = ? ORDER BY a.decision";

// A call that was lost or refused is made again with the same window: the last
// one of each role counts.
constexpr const char* kWindows =
    "SELECT a.decision, m.role, m.nodes_cut, w.position, w.node_number,"
    " w.kinship"
    " FROM attempt a JOIN model_call m USING (attempt_id)"
    " JOIN window_entry w USING (call_id)"
    " WHERE a.campaign_id = ? AND m.call_id = ("
    "   SELECT max(l.call_id) FROM model_call l"
    "   WHERE l.attempt_id = m.attempt_id AND l.role = m.role)"
    " ORDER BY a.decision, m.role, w.position";

// Only campaigns that have several models of a role have such rows.
constexpr const char* kModels =
    "SELECT a.decision, k.role, k.model, k.models, k.rule, k.reason, k.answers"
    " FROM attempt a JOIN attempt_model k USING (attempt_id)"
    " WHERE a.campaign_id = ? ORDER BY a.decision, k.role";

// Only campaigns that people steered have such rows: what they asked, and since
// when it holds.
constexpr const char* kDirectives =
    "SELECT d.effective_decision, d.outcome, d.kind, d.node_number, d.role,"
    " d.aspect, d.amount, s.sha256, d.refusal,"
    " (SELECT group_concat(decision) FROM (SELECT a.decision FROM attempt a"
    "   WHERE a.directive_id = d.directive_id ORDER BY a.decision))"
    " FROM directive d JOIN blob s ON s.blob_id = d.text_blob"
    " WHERE d.campaign_id = ? AND d.effective_decision IS NOT NULL"
    " ORDER BY d.effective_decision, d.directive_id";

bool HasRows(SQLite::Database& sqlite, CampaignId campaign, const char* sql) {
  SQLite::Statement read(sqlite, sql);
  read.bind(1, Index(campaign));
  return read.executeStep();
}

}  // namespace

Result<std::string> Fingerprint(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::string> {
    TRY_DONE(CountsOf(connection, campaign));
    FieldHasher hasher;
    SQLite::Database& sqlite = connection.sqlite();
    hasher.Add(std::string_view("coppice tree 1"));
    AddRows(hasher, sqlite, campaign, "nodes", kNodes);
    AddRows(hasher, sqlite, campaign, "attempts", kAttempts);
    AddRows(hasher, sqlite, campaign, "windows", kWindows);
    if (HasRows(sqlite, campaign, kModels)) {
      AddRows(hasher, sqlite, campaign, "models", kModels);
    }
    if (HasRows(sqlite, campaign, kDirectives)) {
      AddRows(hasher, sqlite, campaign, "directives", kDirectives);
    }
    return ToHex(hasher.Finish());
  });
}

}  // namespace coppice::store
