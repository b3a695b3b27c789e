// Predictive checks: whether campaigns that are simulated on a fitted landscape
// look like those that it was fitted to (Gelman, Meng and Stern 1996).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "search/landscapes/recorded_campaign.h"

namespace coppice::search {

struct Statistic {
  std::string_view name;
  // Whether the fit of that terrain set a parameter by it, so that agreement
  // says little.
  bool fitted_weak;
  bool fitted_hill;

  bool IsFitted(Family family) const {
    return family == Family::kWeak ? fitted_weak : fitted_hill;
  }
};
inline constexpr std::array<Statistic, 14> kStatistics = {{
    {"compile rate", true, true},
    {"pass rate", true, true},
    {"campaigns without a failure", false, false},
    {"log speedup of the first hop that passes", true, true},
    {"share of edits that improve on their parents", false, true},
    {"their mean gain", false, false},
    {"mean loss of the others", false, true},
    {"slope of child over parent", true, false},
    {"best so far after 1 attempt", false, false},
    {"best so far after 5", false, false},
    {"best so far after 10", false, false},
    {"best so far after 30", true, true},
    {"standard deviation of the last best", true, true},
    {"depth of the best", false, false},
}};
// Statistics over all campaigns together; best and depth are means over them.
// A best is never below the root's 0.  A campaign that has ended before keeps
// its last best.  None: nothing tells it.
using Statistics = std::array<std::optional<double>, kStatistics.size()>;
Statistics StatisticsOf(std::span<const RecordedCampaign> campaigns);

// The data beside replicates, each of which has as many campaigns with the same
// policies and attempts.
struct Check {
  Statistic statistic;
  std::optional<double> data;
  // The mean over the replicates that have it; where none has, all four are 0.
  double mean = 0.0;
  double low = 0.0;  // 95 % of them lie between these.
  double high = 0.0;
  double sd = 0.0;

  bool IsOutside() const { return data && (*data < low || *data > high); }
};
std::vector<Check> CheckPredictions(std::span<const RecordedCampaign> data,
                                    const TaskLaw& law, int replicates);

// How ill a law fits: first by how many checks lie outside, then by the mean
// distance of data from the simulated means in standard deviations.
struct Misfit {
  int outside = 0;
  double distance = 0.0;
  bool operator<(const Misfit& other) const {
    return std::tie(outside, distance) <
           std::tie(other.outside, other.distance);
  }
};
Misfit MisfitOf(std::span<const Check> checks);

}  // namespace coppice::search
