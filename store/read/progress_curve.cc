#include "store/read/progress_curve.h"

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/evaluations.h"

namespace coppice::store {

Result<std::vector<Step>> ReadProgressCurve(Database& database,
                                            CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT n.verdict, n.speedup, n.speedup_low, n.speedup_high,"
      " n.confirmed,"
      " (SELECT coalesce(sum(m.input_tokens + m.output_tokens), 0)"
      "  FROM model_call m WHERE m.attempt_id = n.attempt_id),"
      " (SELECT coalesce(sum(m.cost_usd), 0.0)"
      "  FROM model_call m WHERE m.attempt_id = n.attempt_id),"
      " (SELECT coalesce(sum(e.compile_s + e.check_s + e.timing_s), 0.0)"
      "  FROM evaluation e WHERE e.campaign_id = n.campaign_id"
      "  AND e.node_number = n.number AND e.further IS NULL"
      "  AND n.number > 0)"
      " + (SELECT coalesce(sum(t.evaluator_s), 0.0) FROM tuning_trial t"
      "  WHERE t.campaign_id = n.campaign_id AND t.node_number = n.number"
      "  AND NOT t.chosen)"
      " FROM node n WHERE n.campaign_id = ? ORDER BY n.number",
      [](const Statement& read) {
        return Step{read.As<Verdict>(0), SpeedupAt(read, 1), read.Int(4) != 0,
                    read.Int(5),         read.Real(6),       read.Real(7)};
      },
      campaign);
}

Result<double> ReadEvaluatorSeconds(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  TRY(seconds,
      ReadValue<double>(
          database, "SELECT evaluator_s FROM campaign WHERE campaign_id = ?",
          campaign));
  if (!seconds) return connection.NoSuchCampaign(campaign);
  return *seconds;
}

}  // namespace coppice::store
