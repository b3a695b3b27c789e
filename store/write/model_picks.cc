#include "store/write/model_picks.h"

#include "store/connection.h"
#include "store/read_rows.h"

namespace coppice::store {

Result<std::vector<AskedModel>> ReadAsked(Database& database,
                                          CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT a.decision, k.role, k.model, a.parent_number, n.number,"
      " coalesce(k.answers, 0), k.cost_usd FROM attempt a"
      " CROSS JOIN attempt_model k USING (attempt_id)"
      " LEFT JOIN node n USING (attempt_id)"
      " WHERE a.campaign_id = ? ORDER BY a.decision, k.role",
      [](const Statement& read) {
        AskedModel one;
        one.decision = read.Int(0);
        one.role = read.As<Role>(1);
        one.model = read.Text(2);
        one.parent = read.As<NodeId>(3);
        one.node = read.OptionalAs<NodeId>(4);
        one.answers = read.Int(5);
        one.cost_usd = read.OptionalReal(6);
        return one;
      },
      campaign);
}

Result<std::vector<ModelScore>> ReadModelScores(
    Database& database, const std::optional<std::string>& campaign) {
  return ReadRows(
      database,
      "SELECT campaign, role, model, chosen, asked, passed, improved,"
      " mean_gain, best_gain, cost_usd FROM model_scores"
      " WHERE ?1 IS NULL OR campaign = ?1 ORDER BY campaign, role, model",
      [](const Statement& read) {
        return ModelScore{read.Text(0),         read.Text(1),
                          read.Text(2),         read.Int(3),
                          read.Int(4),          read.Int(5),
                          read.Int(6),          read.OptionalReal(7),
                          read.OptionalReal(8), read.OptionalReal(9)};
      },
      campaign);
}

void InsertPicks(Connection& connection, AttemptId attempt,
                 const std::vector<ModelPick>& picks) {
  for (const ModelPick& pick : picks) {
    connection.Run(
        "INSERT INTO attempt_model (attempt_id, role, model, models, rule,"
        " reason) VALUES (?, ?, ?, ?, ?, ?)",
        attempt, pick.role, pick.model, pick.models, pick.rule, pick.reason);
  }
}

std::vector<ModelPick> PicksOf(Connection& connection, AttemptId attempt) {
  return connection.Rows(
      "SELECT role, model, models, rule, reason FROM attempt_model"
      " WHERE attempt_id = ? ORDER BY role",
      [](const Statement& read) {
        return ModelPick{read.As<Role>(0), read.Text(1), read.Text(2),
                         read.Text(3), read.Text(4)};
      },
      attempt);
}

void ClosePicks(Connection& connection, AttemptId attempt) {
  connection.Run(
      "UPDATE attempt_model SET (answers, cost_usd) ="
      " (SELECT count(DISTINCT m.call_id),"
      "   iif(count(w.wire_call_id) = 0, coalesce(sum(m.cost_usd), 0.0),"
      "    sum(w.cost_usd))"
      "  FROM model_call m LEFT JOIN wire_call w USING (call_id)"
      "  WHERE m.attempt_id = ?1 AND m.role = attempt_model.role"
      "   AND m.outcome = 1) WHERE attempt_id = ?1",
      attempt);
}

}  // namespace coppice::store
