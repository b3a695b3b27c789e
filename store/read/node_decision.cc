#include "store/read/node_decision.h"

#include "store/connection.h"
#include "store/database.h"
#include "store/write/model_picks.h"

namespace coppice::store {

Result<std::optional<Decision>> ReadDecision(Database& database,
                                             CampaignId campaign, NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Decision>> {
    Statement read = connection.Prepare(
        "SELECT a.decision, a.policy, a.reason, p.parent_number,"
        " a.attempt_id FROM node n"
        " JOIN attempt a USING (attempt_id)"
        " LEFT JOIN attempt_parent p"
        " ON p.attempt_id = a.attempt_id AND p.position = 1"
        " WHERE n.campaign_id = ? AND n.number = ?",
        campaign, node);
    if (!read.Step()) return std::nullopt;
    return Decision{read.Int(0), read.Text(1), read.Text(2),
                    read.OptionalAs<NodeId>(3),
                    PicksOf(connection, read.As<AttemptId>(4))};
  });
}

}  // namespace coppice::store
