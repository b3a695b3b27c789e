#include "engine/lab/student_mean.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "engine/lab/averages.h"
#include "store/records/paired_rounds.h"

namespace coppice::lab {
namespace {

// The spread of the sum of all values, and what is needed to tell how sure it
// is.
struct Spread {
  double variance = 0.0;
  double squares_by_freedom = 0.0;
  double freedom = 0.0;  // Of all strata.
};

std::optional<Spread> SpreadOf(const Strata& strata) {
  if (strata.empty()) return std::nullopt;
  Spread spread;
  for (const std::vector<double>& values : strata) {
    if (values.size() < 2) return std::nullopt;
    const auto n = static_cast<double>(values.size());
    const double deviation = StandardDeviation(values);
    const double variance = n * deviation * deviation;
    spread.variance += variance;
    spread.squares_by_freedom += variance * variance / (n - 1.0);
    spread.freedom += n - 1.0;
  }
  return spread;
}

double FreedomOf(const Spread& spread) {
  if (spread.squares_by_freedom <= 0.0) return spread.freedom;
  return spread.variance * spread.variance / spread.squares_by_freedom;
}

}  // namespace

std::optional<double> DegreesOfFreedom(const Strata& strata) {
  const auto spread = SpreadOf(strata);
  if (!spread) return std::nullopt;
  return FreedomOf(*spread);
}

IntervalEstimate StudentMean(const Strata& strata) {
  double sum = 0.0;
  double count = 0.0;
  for (const std::vector<double>& values : strata) {
    for (const double value : values) sum += value;
    count += static_cast<double>(values.size());
  }
  IntervalEstimate estimate{sum / std::max(count, 1.0), std::nullopt};
  const auto spread = SpreadOf(strata);
  if (!spread) return estimate;
  const double half =
      StudentPoint(FreedomOf(*spread)) * std::sqrt(spread->variance) / count;
  estimate.interval = {estimate.value - half, estimate.value + half};
  return estimate;
}

IntervalEstimate StudentMean(std::span<const double> values) {
  if (values.empty()) return {};
  return StudentMean(Strata{{values.begin(), values.end()}});
}

}  // namespace coppice::lab
