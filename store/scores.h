// The field's metrics of a campaign, as the views scores, at_k and baselines
// have them; docs/metrics.md says what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

// What the best of k candidates is worth, on average over all choices of k.
struct AtK {
  std::int64_t k = 0;
  double pass = 0.0;
  double speedup = 0.0;
  std::optional<double> efficiency;  // Unset: no roof is known.
  std::optional<double> perf;        // Unset: no expert passed.
};

struct Score {
  std::int64_t trials = 0;  // Candidates.
  std::int64_t compiled = 0;
  std::int64_t correct = 0;
  std::optional<double> best_speedup;  // Over the root; set if any is correct.
  std::vector<AtK> at_k;               // By k, up to the trials.
};

// Of the policy that the campaign began with; all 0 if it chose nothing.
Result<Score> ReadScore(Database& database, CampaignId campaign);

struct BaselineSpeed {
  std::string baseline;
  bool quoted = false;   // Others measured it, on hardware of that name.
  double speedup = 0.0;  // Over the root.
};

// Of those that passed, by name.
Result<std::vector<BaselineSpeed>> ReadBaselineSpeeds(Database& database,
                                                      CampaignId campaign);

}  // namespace coppice::store
