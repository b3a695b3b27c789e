#include "store/read/dated_evaluations.h"

#include <utility>

#include "store/connection.h"
#include "store/write/evaluations.h"

namespace coppice::store {
namespace {

using Dated = std::vector<DatedEvaluation>;

// `sql` selects of each when, whether it is further, and whether it decides.
template <class Of>
Result<Dated> ReadDated(Database& database, CampaignId campaign, const Of& of,
                        const char* sql) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Dated> {
    Dated dated = connection.Rows(
        sql,
        [](const Statement& read) {
          return DatedEvaluation{
              read.Real(0), read.Int(1) != 0, read.Int(2) != 0, {}};
        },
        campaign, of);
    for (std::size_t i = 0; i < dated.size(); ++i) {
      TRY_ASSIGN(dated[i].evaluation,
                 LoadEvaluation(connection, campaign, of,
                                static_cast<std::int64_t>(i)));
    }
    return dated;
  });
}

}  // namespace

Result<Dated> ReadDatedEvaluations(Database& database, CampaignId campaign,
                                   NodeId node) {
  return ReadDated(
      database, campaign, node,
      "SELECT e.evaluated_at_s, e.further IS NOT NULL,"
      " e.ordinal = n.decided_by"
      " FROM evaluation e JOIN node n ON n.campaign_id = e.campaign_id"
      " AND n.number = e.node_number"
      " WHERE e.campaign_id = ? AND e.node_number = ? ORDER BY e.ordinal");
}

Result<Dated> ReadDatedEvaluations(Database& database, CampaignId campaign,
                                   const std::string& baseline) {
  return ReadDated(database, campaign, baseline,
                   "SELECT evaluated_at_s, 0, ordinal + 1 = count(*) OVER ()"
                   " FROM evaluation WHERE campaign_id = ?"
                   " AND node_number IS NULL AND baseline = ?"
                   " ORDER BY ordinal");
}

}  // namespace coppice::store
