// Predictive checks: whether campaigns that are simulated on a fitted landscape
// look like those that it was fitted to (Gelman, Meng and Stern 1996).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "search/landscapes/recorded_campaign.h"

namespace coppice::search {

struct Statistic {
  std::string_view name;
  // Whether the fit set a parameter by it, so that agreement says little.
  bool is_fitted;
};
inline constexpr std::array<Statistic, 14> kStatistics = {{
    {"compile rate", true},
    {"pass rate", true},
    {"campaigns without a failure", false},
    {"log speedup of the first hop that passes", true},
    {"share of edits that improve on their parents", false},
    {"their mean gain", false},
    {"mean loss of the others", false},
    {"slope of child over parent", true},
    {"best so far after 1 attempt", false},
    {"best so far after 5", false},
    {"best so far after 10", false},
    {"best so far after 30", true},
    {"standard deviation of the last best", true},
    {"depth of the best", false},
}};
// Of all campaigns together; best and depth are means over them, and a best is
// never below the root's 0.  None: nothing to tell it by.
using Statistics = std::array<std::optional<double>, kStatistics.size()>;
Statistics StatisticsOf(std::span<const RecordedCampaign> campaigns);

// Over replicates, each as many campaigns of the same policies and attempts.
struct Check {
  Statistic statistic;
  std::optional<double> data;
  // Of the replicates that have it; none has: all 0.
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
  auto operator<=>(const Misfit&) const = default;
};
Misfit MisfitOf(std::span<const Check> checks);

}  // namespace coppice::search
