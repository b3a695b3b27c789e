#include "store/read/spend.h"

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/usd.h"

namespace coppice::store {

Result<std::vector<SpendLine>> ReadSpend(
    Database& database, const std::optional<std::string>& campaign) {
  return ReadRows(
      database,
      "SELECT campaign, day, role, provider, model, calls, failed,"
      " outcome_unknown + in_flight, input_tokens, cached_input_tokens,"
      " output_tokens, cost_usd, latency_s FROM spend_by_day"
      " WHERE ?1 IS NULL OR campaign = ?1"
      " ORDER BY campaign, day, role, provider, model",
      [](const Statement& read) {
        return SpendLine{read.Text(0), read.Text(1), read.Text(2),
                         read.Text(3), read.Text(4), read.Int(5),
                         read.Int(6),  read.Int(7),  read.Int(8),
                         read.Int(9),  read.Int(10), read.Real(11),
                         read.Real(12)};
      },
      campaign);
}

Result<std::vector<ImprovementCost>> ReadImprovementCosts(
    Database& database, const std::optional<std::string>& campaign) {
  return ReadRows(
      database,
      "SELECT campaign, cost_usd, unsettled_usd, improvements,"
      " usd_per_improvement, best_speedup FROM improvement_costs"
      " WHERE ?1 IS NULL OR campaign = ?1 ORDER BY campaign",
      [](const Statement& read) {
        return ImprovementCost{read.Text(0),         read.Real(1),
                               read.Real(2),         read.Int(3),
                               read.OptionalReal(4), read.OptionalReal(5)};
      },
      campaign);
}

Result<double> ReadDayCost(Database& database, double now_s) {
  TRY(cost_usd, ReadValue<double>(
                    database, "SELECT sum(cost_usd) FROM expense WHERE day = ?",
                    DayOf(now_s)));
  return cost_usd.value_or(0.0);
}

}  // namespace coppice::store
