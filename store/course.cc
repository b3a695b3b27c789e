#include "store/course.h"

#include "store/connection.h"

namespace coppice::store {

Result<std::vector<Step>> ReadCourse(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<Step>> {
    std::vector<Step> steps;
    Statement read = connection.Prepare(
        "SELECT coalesce(q.verdict, n.verdict),"
        " iif(q.verdict IS NULL, n.root_runtime_s / n.runtime_s, NULL),"
        " iif(q.verdict IS NULL, (SELECT e.root_runtime_s / e.runtime_s"
        "  FROM evaluation e WHERE e.campaign_id = n.campaign_id"
        "  AND e.node_number = n.number AND e.ordinal > n.decided_by"
        "  AND e.runtime_s IS NOT NULL ORDER BY e.ordinal DESC LIMIT 1), NULL),"
        " (SELECT coalesce(sum(m.input_tokens + m.output_tokens), 0)"
        "  FROM model_call m WHERE m.attempt_id = n.attempt_id),"
        " (SELECT coalesce(sum(m.cost_usd), 0.0)"
        "  FROM model_call m WHERE m.attempt_id = n.attempt_id),"
        " (SELECT coalesce(sum(e.compile_s + e.check_s + e.timing_s), 0.0)"
        "  FROM evaluation e WHERE e.campaign_id = n.campaign_id"
        "  AND e.node_number = n.number AND e.ordinal <= n.decided_by"
        "  AND n.number > 0)"
        " FROM node n LEFT JOIN quarantine q ON q.campaign_id = n.campaign_id"
        " AND q.node_number = n.number"
        " WHERE n.campaign_id = ? ORDER BY n.number");
    read.Bind(campaign);
    while (read.Step()) {
      steps.push_back({read.As<Verdict>(0), read.OptionalReal(1),
                       read.OptionalReal(2), read.Int(3), read.Real(4),
                       read.Real(5)});
    }
    return steps;
  });
}

Result<double> ReadEvaluatorSeconds(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<double> {
    Statement read = connection.Prepare(
        "SELECT coalesce(sum(e.compile_s + e.check_s + e.timing_s), 0.0)"
        " FROM node n JOIN evaluation e ON e.campaign_id = n.campaign_id"
        " AND e.node_number = n.number AND e.ordinal <= n.decided_by"
        " WHERE n.campaign_id = ? AND n.number > 0");
    read.Bind(campaign).Step();
    return read.Real(0);
  });
}

}  // namespace coppice::store
