#include "store/intents.h"

#include "store/connection.h"

namespace coppice::store {

Result<std::vector<UnrealisedPlan>> ReadUnrealised(Database& database,
                                                   CampaignId campaign,
                                                   std::int64_t limit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<UnrealisedPlan>> {
    Statement read = connection.Prepare(
        "SELECT max(n.number) AS last,"
        " (SELECT count(*) FROM node m INDEXED BY node_by_plan"
        "  WHERE m.campaign_id = ?1 AND m.plan_id = n.plan_id)"
        " FROM campaign c CROSS JOIN node n USING (campaign_id)"
        " WHERE c.campaign_id = ?1 AND n.number >= c.nodes - 256"
        " AND n.plan_id IS NOT NULL AND n.verdict NOT IN (0, 7)"
        " AND NOT EXISTS (SELECT 1 FROM node m INDEXED BY node_by_plan"
        "  WHERE m.campaign_id = ?1 AND m.plan_id = n.plan_id"
        "  AND m.verdict IN (0, 7))"
        " GROUP BY n.plan_id ORDER BY last DESC LIMIT ?2");
    read.Bind(campaign, limit);
    std::vector<UnrealisedPlan> plans;
    while (read.Step()) plans.push_back({read.As<NodeId>(0), read.Int(1)});
    return plans;
  });
}

}  // namespace coppice::store
