#include "store/read/dated_evaluations.h"

#include <utility>

#include "store/connection.h"
#include "store/write/evaluations.h"

namespace coppice::store {
namespace {

// Columns: when, further, decides.
using Dated = std::vector<DatedEvaluation>;
Dated ReadDates(Statement& read) {
  Dated dated;
  while (read.Step()) {
    dated.push_back({read.Real(0), read.Int(1) != 0, read.Int(2) != 0, {}});
  }
  return dated;
}

Result<Dated> WithEvaluations(Connection& connection, CampaignId campaign,
                              const Judged& judged, Dated dated) {
  for (std::size_t i = 0; i < dated.size(); ++i) {
    TRY_ASSIGN(dated[i].evaluation,
               LoadEvaluation(connection, campaign, judged,
                              static_cast<std::int64_t>(i)));
  }
  return dated;
}

}  // namespace

Result<Dated> ReadDatedEvaluations(Database& database, CampaignId campaign,
                                   NodeId node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Dated> {
    Statement read = connection.Prepare(
        "SELECT e.evaluated_at_s, e.further IS NOT NULL,"
        " e.ordinal = n.decided_by"
        " FROM evaluation e JOIN node n ON n.campaign_id = e.campaign_id"
        " AND n.number = e.node_number"
        " WHERE e.campaign_id = ? AND e.node_number = ? ORDER BY e.ordinal");
    read.Bind(campaign, node);
    return WithEvaluations(connection, campaign, node, ReadDates(read));
  });
}

Result<Dated> ReadDatedEvaluations(Database& database, CampaignId campaign,
                                   const std::string& baseline) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Dated> {
    Statement read = connection.Prepare(
        "SELECT evaluated_at_s, 0, ordinal + 1 = count(*) OVER ()"
        " FROM evaluation WHERE campaign_id = ? AND node_number IS NULL"
        " AND baseline = ? ORDER BY ordinal");
    read.Bind(campaign, baseline);
    return WithEvaluations(connection, campaign, baseline, ReadDates(read));
  });
}

}  // namespace coppice::store
