#include "store/read/metrics.h"

#include <utility>

#include "store/connection.h"

namespace coppice::store {
namespace {

// "campaign IN (?, ?)": a list, unlike a subquery, reaches into the views.
std::string Among(const std::vector<std::string>& campaigns) {
  std::string list;
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    list += i == 0 ? "?" : ", ?";
  }
  return " campaign IN (" + list + ")";
}

// A view's rows, but only those of these campaigns and of the policies that
// they began with.
std::string Own(const char* view, const std::vector<std::string>& campaigns) {
  return std::string("(SELECT * FROM ") + view + " WHERE" + Among(campaigns) +
         ") JOIN campaigns USING (campaign, policy)";
}

void ReadRates(Connection& connection,
               const std::vector<std::string>& campaigns, Metrics& metrics) {
  Statement read = connection.Prepare(
      "SELECT count(*), sum(trials),"
      " coalesce(sum(compiled) * 1.0 / nullif(sum(trials), 0), 0.0),"
      " coalesce(sum(correct) * 1.0 / nullif(sum(trials), 0), 0.0),"
      " coalesce(avg(correct > 0), 0.0),"
      " coalesce(sum(correct = 0 AND undecided > 0), 0) FROM " +
          Own("scores", campaigns),
      campaigns);
  read.Step();
  metrics.campaigns = read.Int(0);
  metrics.others = -read.Int(1);
  metrics.compile_rate = read.Real(2);
  metrics.correct_rate = read.Real(3);
  metrics.success = {read.Real(4), read.Int(5)};
  metrics.others += connection.Number(
      "SELECT sum(trials) FROM scores WHERE" + Among(campaigns), campaigns);
}

void ReadYardsticks(Connection& connection,
                    const std::vector<std::string>& campaigns,
                    Metrics& metrics) {
  const std::string sql =
      "SELECT over, quoted, p, count(*), coalesce(exp(avg(ln(speedup))), 1.0),"
      " avg(fast), sum(NOT decided) FROM " +
      Own("fast_tasks", campaigns) +
      " GROUP BY over, quoted, p ORDER BY over <> 'root', over, quoted, p";
  Statement read = connection.Prepare(sql, campaigns);
  while (read.Step()) {
    const std::string over = read.Text(0);
    const bool quoted = read.Int(1) != 0;
    if (metrics.over.empty() || metrics.over.back().over != over ||
        metrics.over.back().quoted != quoted) {
      metrics.over.push_back({over, quoted, read.Int(3), read.Real(4), {}, {}});
    }
    metrics.over.back().fast.push_back(
        {read.Real(2), {read.Real(5), read.Int(6)}});
  }
}

void ReadPerf(Connection& connection, const std::vector<std::string>& campaigns,
              YardstickMetrics& yardstick) {
  const std::string sql =
      "SELECT k, avg(perf_at_k), sum(NOT decided) FROM " +
      Own("perf_at_k", campaigns) +
      " WHERE baseline = ? AND quoted = ? GROUP BY k HAVING count(*) = ?"
      " ORDER BY k";
  Statement read = connection.Prepare(sql, campaigns, yardstick.over,
                                      yardstick.quoted, yardstick.campaigns);
  while (read.Step()) {
    yardstick.perf.push_back({read.Int(0), read.Real(1), read.Int(2)});
  }
}

void ReadAtK(Connection& connection, const std::vector<std::string>& campaigns,
             Metrics& metrics) {
  const std::string sql =
      "SELECT k, avg(pass_at_k), avg(speedup_at_k),"
      " iif(count(efficiency_at_k) = count(*), avg(efficiency_at_k), NULL)"
      " FROM " +
      Own("at_k", campaigns) + " GROUP BY k HAVING count(*) = ? ORDER BY k";
  Statement read = connection.Prepare(sql, campaigns, metrics.campaigns);
  while (read.Step()) {
    metrics.at_k.push_back(
        {read.Int(0), read.Real(1), read.Real(2), read.OptionalReal(3)});
  }
}

}  // namespace

Result<Summary> ReadSummary(Database& database,
                            const std::vector<std::string>& campaigns) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Summary> {
    Summary summary;
    summary.geometric_mean =
        connection
            .Find<double>(
                "SELECT exp(avg(ln(speedup))) FROM leaderboard"
                " WHERE rank = 1 AND" +
                    Among(campaigns),
                campaigns)
            .value_or(1.0);
    // A campaign in which several policies chose is fast if one of them was.
    const std::string sql =
        "SELECT p, avg(fast), sum(open AND NOT sure) FROM ("
        " SELECT p, max(fast) AS fast, max(NOT decided) AS open,"
        "  max(fast AND decided) AS sure FROM fast_tasks"
        "  WHERE over = 'root' AND p IN (0.0, 1.0) AND" +
        Among(campaigns) + " GROUP BY campaign, p) GROUP BY p";
    Statement read = connection.Prepare(sql, campaigns);
    while (read.Step()) {
      (read.Real(0) == 0.0 ? summary.success : summary.fast_1) = {read.Real(1),
                                                                  read.Int(2)};
    }
    return summary;
  });
}

Result<Metrics> ReadMetrics(Database& database,
                            const std::vector<std::string>& campaigns) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Metrics> {
    Metrics metrics;
    ReadRates(connection, campaigns, metrics);
    ReadYardsticks(connection, campaigns, metrics);
    for (YardstickMetrics& each : metrics.over)
      ReadPerf(connection, campaigns, each);
    ReadAtK(connection, campaigns, metrics);
    return metrics;
  });
}

}  // namespace coppice::store
