#include "store/history.h"

#include <algorithm>
#include <utility>

#include "store/connection.h"
#include "store/evaluations.h"

namespace coppice::store {
namespace {

// Columns: number, parent, verdict, runtime, root's runtime, technique, and the
// verdict that refuted it.
NodeLine ReadLine(const Statement& row) {
  NodeLine line;
  line.node = row.As<NodeId>(0);
  if (!row.IsNull(1)) line.parent = row.As<NodeId>(1);
  line.verdict = row.As<Verdict>(2);
  line.runtime_s = row.OptionalReal(3);
  const std::optional<double> root_runtime_s = row.OptionalReal(4);
  if (line.runtime_s && root_runtime_s) {
    line.speedup = *root_runtime_s / *line.runtime_s;
  }
  line.technique = row.Text(5);
  if (!row.IsNull(6)) {
    line.is_quarantined = true;
    line.verdict = row.As<Verdict>(6);
    line.runtime_s.reset();
    line.speedup.reset();
  }
  return line;
}

Result<Ancestor> ReadAncestor(Connection& connection, CampaignId campaign,
                              NodeId node) {
  Statement read = connection.Prepare(
      "SELECT n.number, n.parent_number, n.verdict, n.runtime_s,"
      " n.root_runtime_s, coalesce(p.technique, ''), q.verdict,"
      " coalesce(p.advice, '')"
      " FROM node n LEFT JOIN plan p USING (plan_id)"
      " LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
      " AND q.node_number = n.number"
      " WHERE n.campaign_id = ? AND n.number = ?");
  if (!read.Bind(campaign, node).Step()) {
    return connection.FailHere(Errc::kNotFound,
                               "no node " + std::to_string(Index(node)));
  }
  return Ancestor{ReadLine(read), read.Text(7)};
}

void CountVerdicts(Connection& connection, CampaignId campaign,
                   Totals& totals) {
  Statement read = connection.Prepare(
      "SELECT coalesce(q.verdict, n.verdict), count(*) FROM node n"
      " LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
      " AND q.node_number = n.number"
      " WHERE n.campaign_id = ? AND number > 0 GROUP BY 1");
  read.Bind(campaign);
  while (read.Step()) {
    totals.verdicts.at(static_cast<std::size_t>(read.Int(0))) = read.Int(1);
  }
}

void CountCalls(Connection& connection, CampaignId campaign, Totals& totals) {
  Statement read = connection.Prepare(
      "SELECT count(*), coalesce(sum(m.outcome IN (0, 3)), 0),"
      " coalesce(sum(m.input_tokens), 0), coalesce(sum(m.output_tokens), 0),"
      " coalesce(sum(m.cost_usd), 0.0)"
      " FROM attempt a JOIN model_call m USING (attempt_id)"
      " WHERE a.campaign_id = ?");
  read.Bind(campaign).Step();
  totals.calls = read.Int(0);
  totals.unanswered_calls = read.Int(1);
  totals.input_tokens = read.Int(2);
  totals.output_tokens = read.Int(3);
  totals.cost_usd = read.Real(4);
}

}  // namespace

Result<std::vector<NodeLine>> ReadTree(Database& database,
                                       CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<NodeLine>> {
    std::vector<NodeLine> lines;
    Statement read = connection.Prepare(
        "SELECT n.number, n.parent_number, n.verdict, n.runtime_s,"
        " n.root_runtime_s, coalesce(p.technique, ''), q.verdict"
        " FROM node n LEFT JOIN plan p USING (plan_id)"
        " LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
        " AND q.node_number = n.number"
        " WHERE n.campaign_id = ? ORDER BY n.number");
    read.Bind(campaign);
    while (read.Step()) lines.push_back(ReadLine(read));
    return lines;
  });
}

Result<std::vector<Ancestor>> ReadLineage(Database& database,
                                          CampaignId campaign, NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Ancestor>> {
    std::vector<Ancestor> path;
    for (std::optional<NodeId> next = node; next;) {
      TRY(ancestor, ReadAncestor(connection, campaign, *next));
      next = ancestor.line.parent;
      path.push_back(std::move(ancestor));
    }
    std::reverse(path.begin(), path.end());
    return path;
  });
}

Result<std::vector<NodeId>> ReadLeaders(Database& database,
                                        CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<NodeId>> {
    std::vector<NodeId> leaders;
    Statement read = connection.Prepare(
        "WITH confirmed (node_number, speedup) AS ("
        "  SELECT node_number, root_runtime_s / runtime_s FROM evaluation e"
        "  WHERE campaign_id = ?1 AND tier = 1 AND verdict = 0"
        "  AND ordinal = (SELECT max(f.ordinal) FROM evaluation f"
        "    WHERE f.campaign_id = e.campaign_id AND f.tier = 1"
        "    AND f.node_number = e.node_number)"
        "  UNION SELECT 0, 1.0 FROM evaluation"  // Against itself.
        "  WHERE campaign_id = ?1 AND tier = 1 AND verdict = 0"
        "  AND node_number IS NOT NULL)"
        " SELECT l.node_number FROM leader l"
        " LEFT JOIN confirmed c USING (node_number) WHERE l.campaign_id = ?1"
        " ORDER BY c.speedup IS NULL, c.speedup DESC, l.rank");
    read.Bind(campaign);
    while (read.Step()) leaders.push_back(read.As<NodeId>(0));
    return leaders;
  });
}

Result<std::optional<Decision>> ReadDecision(Database& database,
                                             CampaignId campaign, NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Decision>> {
    Statement read = connection.Prepare(
        "SELECT a.decision, a.policy, a.reason FROM node n"
        " JOIN attempt a USING (attempt_id)"
        " WHERE n.campaign_id = ? AND n.number = ?");
    if (!read.Bind(campaign, node).Step()) return std::nullopt;
    return Decision{read.Int(0), read.Text(1), read.Text(2)};
  });
}

Result<std::vector<Evaluation>> ReadEvaluations(Database& database,
                                                CampaignId campaign,
                                                NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Evaluation>> {
    const std::int64_t count = CountEvaluations(connection, campaign, node);
    std::vector<Evaluation> evaluations;
    for (std::int64_t ordinal = 0; ordinal < count; ++ordinal) {
      TRY(evaluation, LoadEvaluation(connection, campaign, node, ordinal));
      evaluations.push_back(std::move(evaluation));
    }
    return evaluations;
  });
}

Result<Totals> ReadTotals(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Totals> {
    Totals totals;
    CountVerdicts(connection, campaign, totals);
    CountCalls(connection, campaign, totals);
    return totals;
  });
}

}  // namespace coppice::store
