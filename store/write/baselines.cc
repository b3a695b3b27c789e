#include "store/write/baselines.h"

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/environments.h"
#include "store/write/evaluations.h"
#include "store/write/events.h"

namespace coppice::store {
namespace {

struct Made {
  CampaignId campaign{};
  std::int64_t ordinal = 0;
  double at_s = 0.0;
};

std::optional<Made> FindMade(Connection& connection, CampaignId campaign,
                             const std::string& baseline,
                             EnvironmentId environment) {
  Statement find = connection.Prepare(
      "SELECT e.campaign_id, e.ordinal, e.evaluated_at_s FROM campaign own"
      " JOIN campaign c ON c.task_blob = own.task_blob"
      " JOIN evaluation e ON e.campaign_id = c.campaign_id"
      " AND e.node_number IS NULL"
      " WHERE own.campaign_id = ?1 AND e.baseline = ?2"
      " AND e.environment_id = ?3 AND e.verdict NOT IN (?4, ?5)"
      " ORDER BY e.campaign_id <> ?1, e.evaluated_at_s DESC, e.ordinal DESC"
      " LIMIT 1",
      campaign, baseline, environment, Verdict::kTimedOut,
      Verdict::kInconclusive);
  if (!find.Step()) return std::nullopt;
  return Made{find.As<CampaignId>(0), find.Int(1), find.Real(2)};
}

}  // namespace

Result<void> AddBaselineEvaluation(Database& database, CampaignId campaign,
                                   const std::string& baseline,
                                   const Evaluation& evaluation, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<void> {
    const std::int64_t ordinal =
        CountEvaluations(connection, campaign, baseline);
    TRY_DONE(InsertEvaluation(connection, campaign, baseline, ordinal,
                              std::nullopt, evaluation, now_s));
    RecordEvent(connection, campaign, now_s, "evaluated", std::nullopt,
                baseline);
    return {};
  });
}

Result<std::optional<Evaluation>> AdoptBaselineEvaluation(
    Database& database, CampaignId campaign, const std::string& baseline,
    const Environment& environment, double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::optional<Evaluation>> {
    const auto here = FindEnvironment(connection, environment);
    const auto made =
        here ? FindMade(connection, campaign, baseline, *here) : std::nullopt;
    if (!made) return std::optional<Evaluation>();
    TRY(evaluation,
        LoadEvaluation(connection, made->campaign, baseline, made->ordinal));
    const std::int64_t count = CountEvaluations(connection, campaign, baseline);
    if (made->campaign != campaign || made->ordinal + 1 != count) {
      TRY_DONE(InsertEvaluation(connection, campaign, baseline, count,
                                std::nullopt, evaluation, made->at_s));
      RecordEvent(connection, campaign, now_s, "evaluated", std::nullopt,
                  baseline);
    }
    return std::optional(std::move(evaluation));
  });
}

Result<std::optional<Evaluation>> ReadBaselineEvaluation(
    Database& database, CampaignId campaign, const std::string& baseline) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::optional<Evaluation>> {
    const std::int64_t count = CountEvaluations(connection, campaign, baseline);
    if (count == 0) return std::optional<Evaluation>();
    TRY(evaluation, LoadEvaluation(connection, campaign, baseline, count - 1));
    return std::optional(std::move(evaluation));
  });
}

Result<std::vector<Baseline>> ReadBaselines(Database& database,
                                            CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT b.baseline, b.quoted, v.verdict, coalesce(b.decided, 0),"
      " b.speedup, b.speedup_low, b.speedup_high, b.best_over_baseline,"
      " b.best_over_low, b.best_over_high FROM campaign c"
      " JOIN baselines b ON b.campaign = c.name"
      " JOIN verdict v ON v.name = b.verdict"
      " WHERE c.campaign_id = ? ORDER BY 1, 2",
      [](const Statement& read) {
        return Baseline{read.Text(0),        read.Int(1) != 0,
                        read.As<Verdict>(2), SpeedupAt(read, 4),
                        SpeedupAt(read, 7),  read.Int(3) != 0};
      },
      campaign);
}

Result<std::vector<std::string>> ReadBaselineNames(Database& database,
                                                   CampaignId campaign) {
  return ReadRows(
      database,
      "SELECT DISTINCT baseline FROM evaluation"
      " WHERE campaign_id = ? AND node_number IS NULL ORDER BY 1",
      [](const Statement& read) { return read.Text(0); }, campaign);
}

Result<std::int64_t> AddQuotedBaselines(
    Database& database, const std::vector<QuotedBaseline>& quoted,
    double now_s) {
  Connection& connection = database.connection();
  return connection.Write([&]() -> Result<std::int64_t> {
    std::int64_t news = 0;
    for (const QuotedBaseline& row : quoted) {
      {
        Statement last = connection.Prepare(
            "SELECT mean_s = ?5 AND std_s = ?6 AND min_s = ?7 AND max_s = ?8"
            " AND trials = ?9 FROM quoted_baseline WHERE task = ?1"
            " AND level = ?2 AND baseline = ?3 AND hardware = ?4"
            " ORDER BY quoted_baseline_id DESC LIMIT 1",
            row.task, row.level, row.baseline, row.hardware, row.mean_s,
            row.std_s, row.min_s, row.max_s, row.trials);
        if (last.Step() && last.Int(0) == 1) continue;
      }
      connection.Run(
          "INSERT INTO quoted_baseline (task, level, baseline, hardware,"
          " mean_s, std_s, min_s, max_s, trials, origin, read_at_s)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          row.task, row.level, row.baseline, row.hardware, row.mean_s,
          row.std_s, row.min_s, row.max_s, row.trials, row.origin, now_s);
      ++news;
    }
    return news;
  });
}

}  // namespace coppice::store
