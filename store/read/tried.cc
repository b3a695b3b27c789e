#include "store/read/tried.h"

#include <cstddef>

#include "store/connection.h"
#include "store/database.h"

namespace coppice::store {

Result<Tried> ReadTried(Database& database, CampaignId campaign, NodeId before,
                        int fastest, int newest) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Tried> {
    // Left to itself, SQLite sorts all nodes below `before`.
    return Tried{connection.Rows(
                     "SELECT n.number, coalesce(p.technique, '') FROM node n"
                     " INDEXED BY node_by_speedup"
                     " LEFT JOIN plan p USING (plan_id)"
                     " WHERE n.campaign_id = ?1 AND n.verdict = 0"
                     " AND n.same_as IS NULL"
                     " AND n.number > 0 AND n.number < ?2"
                     " ORDER BY n.speedup DESC, n.number LIMIT ?3",
                     [](const Statement& read) {
                       return TriedNode{read.As<NodeId>(0), read.Text(1)};
                     },
                     campaign, before, fastest),
                 connection.newest_tried().Below(
                     campaign, before, static_cast<std::size_t>(newest))};
  });
}

}  // namespace coppice::store
