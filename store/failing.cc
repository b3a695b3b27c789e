#include "store/failing.h"

#include "store/connection.h"

namespace coppice::store {

Result<std::int64_t> ScanFailing(
    Database& database, CampaignId campaign, std::int64_t most,
    const std::function<void(const Failing&)>& visit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::int64_t> {
    Statement read = connection.Prepare(
        "SELECT n.number, n.verdict, coalesce(e.breach, 0),"
        " coalesce(p.technique, ''), blob_text(e.log_blob) FROM node n"
        " JOIN evaluation e ON e.campaign_id = n.campaign_id"
        "  AND e.node_number = coalesce(n.same_as, n.number)"
        "  AND e.ordinal = n.decided_by"
        " LEFT JOIN plan p ON p.plan_id = n.plan_id"
        " WHERE n.campaign_id = ? AND n.verdict NOT IN (0, 7)"
        " ORDER BY n.number LIMIT ?");
    read.Bind(campaign, most);
    while (read.Step()) {
      visit({read.As<NodeId>(0), read.As<Verdict>(1), read.As<Breach>(2),
             read.Text(3), read.Text(4)});
    }
    Statement count = connection.Prepare(
        "SELECT count(*) FROM node WHERE campaign_id = ?"
        " AND verdict NOT IN (0, 7)");
    count.Bind(campaign).Step();
    return count.Int(0);
  });
}

}  // namespace coppice::store
