#include "store/scores.h"

#include <utility>

#include "store/connection.h"

namespace coppice::store {

Result<Score> ReadScore(Database& database, CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Score> {
    std::string name;
    std::string policy;
    {
      Statement read = connection.Prepare(
          "SELECT name, policy FROM campaign WHERE campaign_id = ?");
      if (!read.Bind(campaign).Step()) {
        return connection.NoSuchCampaign(campaign);
      }
      name = read.Text(0);
      policy = read.Text(1);
    }
    Score score;
    {
      Statement read = connection.Prepare(
          "SELECT trials, compiled, correct, best_speedup FROM scores"
          " WHERE campaign = ? AND policy = ?");
      if (!read.Bind(name, policy).Step()) return score;
      score.trials = read.Int(0);
      score.compiled = read.Int(1);
      score.correct = read.Int(2);
      score.best_speedup = read.OptionalReal(3);
    }
    Statement read = connection.Prepare(
        "SELECT k, pass_at_k, speedup_at_k, efficiency_at_k, perf_at_k"
        " FROM at_k WHERE campaign = ? AND policy = ? ORDER BY k");
    read.Bind(name, policy);
    while (read.Step()) {
      score.at_k.push_back({read.Int(0), read.Real(1), read.Real(2),
                            read.OptionalReal(3), read.OptionalReal(4)});
    }
    return score;
  });
}

Result<std::vector<BaselineSpeed>> ReadBaselineSpeeds(Database& database,
                                                      CampaignId campaign) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<BaselineSpeed>> {
    Statement read = connection.Prepare(
        "SELECT b.baseline, b.quoted, b.speedup FROM campaign c"
        " JOIN baselines b ON b.campaign = c.name"
        " WHERE c.campaign_id = ? AND b.speedup IS NOT NULL ORDER BY 1, 2");
    read.Bind(campaign);
    std::vector<BaselineSpeed> speeds;
    while (read.Step()) {
      speeds.push_back({read.Text(0), read.Int(1) == 1, read.Real(2)});
    }
    return speeds;
  });
}

}  // namespace coppice::store
