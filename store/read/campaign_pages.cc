#include "store/read/campaign_pages.h"

#include "store/connection.h"
#include "store/read/ask.h"
#include "store/read_rows.h"

namespace coppice::store {
namespace {

constexpr std::string_view kBaselineColumns =
    "SELECT campaign, task, baseline, quoted, hardware, tier, verdict, speedup,"
    " speedup_low AS low, speedup_high AS high, best_node, best_speedup,"
    " best_over_baseline, best_over_low, best_over_high, decided,"
    " measured_at_s FROM baselines WHERE ";

constexpr std::string_view kWireColumns =
    "SELECT w.wire_call_id AS id, w.sent_at_s, w.campaign, w.role, w.model,"
    " w.outcome, w.input_tokens AS tokens_in, w.output_tokens AS tokens_out,"
    " w.cost_usd AS usd, (SELECT k.cost_usd_bound FROM wire_call k"
    "  WHERE k.wire_call_id = w.wire_call_id) AS bound_usd, w.error"
    " FROM wire_calls w";

}  // namespace

Result<Listing> ReadBaselineRows(Database& database, CampaignId campaign) {
  return Ask(database,
             std::string(kBaselineColumns) +
                 "campaign = (SELECT name FROM campaign WHERE campaign_id = ?)"
                 " ORDER BY quoted, baseline",
             campaign);
}

Result<Listing> ReadBaselineRowsOf(Database& database,
                                   const std::string& task) {
  return Ask(database,
             std::string(kBaselineColumns) +
                 "task = ? ORDER BY campaign, quoted, baseline",
             task);
}

Result<std::optional<std::string>> ReadHardware(Database& database,
                                                CampaignId campaign) {
  return ReadValue<std::string>(database,
                                "SELECT w.hardware FROM evaluation e"
                                " JOIN environment w USING (environment_id)"
                                " WHERE e.campaign_id = ? AND e.node_number = 0"
                                " ORDER BY e.ordinal LIMIT 1",
                                campaign);
}

Result<Listing> ReadDecisionRow(Database& database, CampaignId campaign,
                                std::int64_t decision) {
  return Ask(database,
             "SELECT decision, policy, reason, stage, node, parent,"
             " nodes_seen, further_seen, attempts_left FROM attempts"
             " WHERE campaign = (SELECT name FROM campaign"
             "  WHERE campaign_id = ?) AND decision = ?",
             campaign, decision);
}

Result<Listing> ReadLeadersOf(Database& database, const std::string& task) {
  return Ask(database,
             "SELECT l.campaign, l.node, l.speedup, l.speedup_low AS low,"
             " l.speedup_high AS high, l.confirmed, l.technique, a.policy,"
             " w.hardware FROM leaderboard l"
             " JOIN campaign c ON c.name = l.campaign"
             " JOIN node n ON n.campaign_id = c.campaign_id"
             "  AND n.number = l.node"
             " LEFT JOIN attempt a ON a.attempt_id = n.attempt_id"
             " LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id"
             "  AND e.node_number = n.number AND e.ordinal = n.decided_by"
             " LEFT JOIN environment w USING (environment_id)"
             " WHERE l.task = ?"
             " ORDER BY l.speedup DESC, l.campaign, l.node",
             task);
}

Result<std::vector<std::string>> ReadTasks(Database& database) {
  return ReadRows(database, "SELECT DISTINCT task FROM campaign ORDER BY task",
                  [](const Statement& read) { return read.Text(0); });
}

Result<Listing> ReadWorkloadsOf(Database& database, CampaignId campaign,
                                std::int64_t node) {
  return Ask(database,
             "SELECT w.uuid AS workload, p.shape, r.median_s,"
             " r.root_median_s / r.median_s AS speedup FROM node n"
             " JOIN evaluation e ON e.campaign_id = n.campaign_id"
             "  AND e.node_number = coalesce(n.same_as, n.number)"
             "  AND e.ordinal = n.decided_by"
             " JOIN workload_result r USING (evaluation_id)"
             " JOIN workload w USING (workload_id)"
             " LEFT JOIN profile p ON p.evaluation_id = r.evaluation_id"
             "  AND p.position = r.position"
             " WHERE n.campaign_id = ? AND n.number = ? ORDER BY r.position",
             campaign, node);
}

Result<int> ScanFailed(Database& database, CampaignId campaign,
                       std::int64_t from,
                       const std::function<void(FailedNode)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<int> {
    int count = 0;
    Statement read = connection.Prepare(
        "SELECT n.number, n.verdict, coalesce(b.name, ''),"
        " coalesce(p.technique_name, ''), coalesce(a.policy, ''),"
        " coalesce(blob_text(e.log_blob), a.no_candidate_reason, '')"
        " FROM node n"
        " LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id"
        "  AND e.node_number = coalesce(n.same_as, n.number)"
        "  AND e.ordinal = n.decided_by"
        " LEFT JOIN breach b ON b.breach = e.breach"
        " LEFT JOIN attempt a ON a.attempt_id = n.attempt_id"
        " LEFT JOIN plan p ON p.plan_id = n.plan_id"
        " WHERE n.campaign_id = ? AND n.number >= ?"
        " AND n.verdict NOT IN (0, 7) ORDER BY n.number LIMIT 1000",
        campaign, from);
    while (read.Step()) {
      visit({read.Int(0), read.As<Verdict>(1), read.Text(2), read.Text(3),
             read.Text(4), read.Text(5)});
      ++count;
    }
    return count;
  });
}

Result<Listing> ReadSpendDays(Database& database) {
  // What is open is added up once, not anew for each day.
  return Ask(database,
             "WITH open AS MATERIALIZED (SELECT c.name AS campaign,"
             "  r.name AS role, m.model,"
             "  date(m.sent_at_s, 'unixepoch') AS day,"
             "  sum(max(w.charged_usd - coalesce(w.cost_usd, 0.0), 0.0)) AS usd"
             "  FROM wire_call w CROSS JOIN model_call m USING (call_id)"
             "  CROSS JOIN attempt a USING (attempt_id)"
             "  CROSS JOIN campaign c USING (campaign_id)"
             "  CROSS JOIN role r ON r.role = m.role"
             "  WHERE w.is_unsettled GROUP BY 1, 2, 3, 4)"
             " SELECT s.day, s.campaign, s.role, s.model, s.calls,"
             " s.input_tokens + s.output_tokens AS tokens, s.cost_usd AS usd,"
             " coalesce(o.usd, 0.0) AS unsettled_usd FROM spend_by_day s"
             " LEFT JOIN open o ON o.campaign = s.campaign AND o.role = s.role"
             "  AND o.model = s.model AND o.day = s.day"
             " ORDER BY s.day DESC, s.campaign, s.role, s.model");
}

Result<WirePage> ReadWirePage(Database& database, std::int64_t from,
                              std::int64_t limit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<WirePage> {
    TRY(rows, Ask(database,
                  std::string(kWireColumns) +
                      " WHERE w.wire_call_id IN (SELECT wire_call_id"
                      "  FROM wire_call ORDER BY wire_call_id DESC"
                      "  LIMIT ?2 OFFSET ?1) ORDER BY 1 DESC",
                  from, limit));
    return WirePage{std::move(rows),
                    connection.Number("SELECT count(*) FROM wire_call")};
  });
}

Result<Listing> ReadUnknownCalls(Database& database) {
  return Ask(database, std::string(kWireColumns) +
                           " WHERE w.wire_call_id IN (SELECT wire_call_id"
                           "  FROM wire_call WHERE is_unsettled"
                           "  AND outcome = 3) ORDER BY 1 DESC LIMIT 100");
}

Result<Listing> ReadCaps(Database& database) {
  return Ask(
      database,
      "SELECT c.name AS campaign, s.key AS what,"
      " CAST(s.value AS REAL) AS \"limit\","
      " (SELECT coalesce(sum(e.cost_usd), 0.0) FROM expense e"
      "  LEFT JOIN role r USING (role) WHERE CASE s.key"
      "  WHEN 'cap_usd' THEN e.campaign_id = c.campaign_id"
      "  WHEN 'day_cap_usd' THEN e.day = CAST(c.updated_at_s / 86400 AS INT)"
      "  ELSE e.campaign_id = c.campaign_id AND s.key = r.name || '_cap_usd'"
      "  END) AS used FROM setting s JOIN campaign c USING (campaign_id)"
      " WHERE s.key IN ('cap_usd', 'plan_cap_usd', 'code_cap_usd',"
      " 'debug_cap_usd', 'day_cap_usd')"
      " AND s.value NOT IN ('', 'none') ORDER BY 1, 2");
}

Result<Listing> ReadPolicyCurves(Database& database, std::int64_t points) {
  return Ask(database,
             "SELECT task, policy, agents, attempts, campaigns, best_speedup,"
             " least_speedup, greatest_speedup FROM policy_curve"
             " WHERE attempts % (SELECT coalesce(max(nodes), 0) / ?1 + 1"
             "  FROM campaign) = 0"
             " OR attempts IN (SELECT nodes - 1 FROM campaign)"
             " ORDER BY task, policy, agents, attempts",
             points);
}

Result<Listing> ReadFastP(Database& database) {
  return Ask(database,
             "SELECT policy, agents, level, p, campaigns, fast, undecided,"
             " fast_p FROM fast_p ORDER BY policy, agents, level, p");
}

}  // namespace coppice::store
