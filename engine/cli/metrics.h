// The field's metrics over the campaigns of a benchmark; docs/metrics.md has
// their formulas and sources.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/cli/verb.h"
#include "store/scores.h"

namespace coppice::cli {

// KernelBench's thresholds.
inline constexpr std::array<double, 6> kFastThresholds = {0.0, 0.5, 0.8,
                                                          1.0, 1.5, 2.0};

// A campaign, as the database counts it.
struct Scored {
  store::Score score;
  std::vector<store::BaselineSpeed> baselines;
  // Its floors are of less than a call does: PyTorch states no operations.
  bool efficiency_is_bound = false;
};

// perf@k over a baseline in the expert's place: means of speedup@k over its
// speedup, for each k that all campaigns reach which have it.
struct PerfAtK {
  std::string over;
  std::int64_t campaigns = 0;
  std::vector<std::pair<std::int64_t, double>> at_k;  // (k, perf@k).
};

// Shares of the campaigns whose best candidate is more than p times as fast.
// The root is no candidate.
struct FastP {
  std::string over;            // "root", "expert", "torch (quoted)", ...
  std::int64_t campaigns = 0;  // That have it.
  std::array<double, kFastThresholds.size()> shares{};
  double geometric_mean = 1.0;  // Of the speeds over it, of those solved.
};

struct Metrics {
  double compile_rate = 0.0;  // Of all candidates, as is this:
  double correct_rate = 0.0;
  double success = 0.0;     // Of the campaigns: has a correct candidate.
  std::vector<FastP> fast;  // Over the root first.
  // Means over campaigns, for each k that all of them reach.  A member is unset
  // if it is for any.
  std::vector<store::AtK> at_k;
  bool efficiency_is_bound = false;  // Of any.
  std::vector<PerfAtK> perf;         // Over each baseline, by name.
};

Metrics MetricsOf(const std::vector<Scored>& campaigns);

void PrintMetrics(const Metrics& metrics, Streams& streams);
nlohmann::ordered_json MetricsJson(const Metrics& metrics);

}  // namespace coppice::cli
