#include "store/write/intents.h"

#include "store/connection.h"
#include "store/read_rows.h"

namespace coppice::store {

Result<std::vector<UnrealisedPlan>> ReadUnrealised(Database& database,
                                                   CampaignId campaign,
                                                   std::int64_t nodes,
                                                   std::int64_t limit) {
  return ReadRows(
      database,
      "SELECT max(n.number) AS last,"
      " (SELECT count(*) FROM node m INDEXED BY node_by_plan"
      "  WHERE m.campaign_id = ?1 AND m.plan_id = n.plan_id"
      "  AND m.number < ?2)"
      " FROM node n"
      " WHERE n.campaign_id = ?1 AND n.number BETWEEN ?2 - 256 AND ?2 - 1"
      " AND n.plan_id IS NOT NULL AND n.verdict NOT IN (0, 7)"
      " AND NOT EXISTS (SELECT 1 FROM node m INDEXED BY node_by_plan"
      "  WHERE m.campaign_id = ?1 AND m.plan_id = n.plan_id"
      "  AND m.number < ?2 AND m.verdict IN (0, 7))"
      " GROUP BY n.plan_id ORDER BY last DESC LIMIT ?3",
      [](const Statement& read) {
        return UnrealisedPlan{read.As<NodeId>(0), read.Int(1)};
      },
      campaign, nodes, limit);
}

}  // namespace coppice::store
