#include "store/read/improvements.h"

#include "store/read_rows.h"
#include "store/statement.h"

namespace coppice::store {

Result<std::vector<Improvement>> ReadImprovements(Database& database,
                                                  CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT i.number, i.speedup, n.committed_at_s FROM improvement i"
      " JOIN node n ON n.campaign_id = i.campaign_id AND n.number = i.number"
      " WHERE i.campaign_id = ? AND i.speedup IS NOT NULL ORDER BY i.number",
      [](const Statement& read) {
        return Improvement{read.As<NodeId>(0), read.Real(1), read.Real(2)};
      },
      campaign);
}

Result<std::optional<std::pair<double, double>>> ReadSpan(Database& database,
                                                          CampaignId campaign) {
  return ReadOne(
      database,
      "SELECT f.committed_at_s, l.committed_at_s FROM campaign c"
      " JOIN node f ON f.campaign_id = c.campaign_id AND f.number = 0"
      " JOIN node l ON l.campaign_id = c.campaign_id"
      "  AND l.number = c.nodes - 1 WHERE c.campaign_id = ?",
      [](const Statement& read) {
        return std::pair(read.Real(0), read.Real(1));
      },
      campaign);
}

}  // namespace coppice::store
