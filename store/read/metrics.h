// The field's metrics over some campaigns, as the views have them;
// docs/metrics.md has their formulas and sources.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/result.h"

namespace coppice::store {

// A share of tasks, and of how many an interval, or a candidate that is
// inconclusive, leaves it open (the view fast_tasks).
struct Share {
  double share = 0.0;
  std::int64_t undecided = 0;
};

// What the campaigns came to, whoever chose in them.
struct Summary {
  double geometric_mean = 1.0;  // Of the winners' speedups; the root's is 1.
  Share success;                // Has a correct candidate.
  Share fast_1;                 // Has one that is faster than the root.
};

// How candidates did over the root, or over a baseline in its place.
struct YardstickMetrics {
  std::string over;             // "root", "expert", ...
  bool quoted = false;          // Others measured it, elsewhere.
  std::int64_t campaigns = 0;   // That have it.
  double geometric_mean = 1.0;  // Of the best candidates, where any is correct.
  struct FastP {
    double p = 0.0;
    Share fast;
  };
  std::vector<FastP> fast;
  struct PerfAtK {
    std::int64_t k = 0;
    double perf = 0.0;           // Mean over the campaigns.
    std::int64_t undecided = 0;  // Of which 1 is not left out.
  };
  std::vector<PerfAtK> perf;  // For each k that all its campaigns reach.
};

// What the best of k candidates is worth, on average over all choices of k, and
// over the campaigns.
struct AtK {
  std::int64_t k = 0;
  double pass = 0.0;
  double speedup = 0.0;
  std::optional<double> efficiency;  // Unset: of one no roof is known.
};

// What came of the policies that the campaigns began with.
struct Metrics {
  std::int64_t campaigns = 0;  // In which these chose, or nobody.
  std::int64_t others = 0;     // Candidates that another chose: not counted.
  double compile_rate = 0.0;   // Of all candidates, as is this:
  double correct_rate = 0.0;
  Share success;
  std::vector<YardstickMetrics> over;  // The root first.
  std::vector<AtK> at_k;               // For each k that all campaigns reach.
};

// Campaigns by name.
Result<Summary> ReadSummary(Database& database,
                            const std::vector<std::string>& campaigns);
Result<Metrics> ReadMetrics(Database& database,
                            const std::vector<std::string>& campaigns);

}  // namespace coppice::store
