#include "engine/lab/power.h"

#include <cmath>

namespace coppice::lab {

double UpperQuantile(double tail) {
  double low = 0.0;
  double high = 8.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2.0;
    const bool is_below = 0.5 * std::erfc(middle / std::sqrt(2.0)) > tail;
    (is_below ? low : high) = middle;
  }
  return low;
}

std::optional<std::int64_t> PairsForPower(double mean_difference,
                                          double standard_deviation,
                                          int questions) {
  constexpr double kMissed = 0.2;
  if (mean_difference == 0.0) return std::nullopt;
  const double quantiles =
      UpperQuantile(kSignificance / (2.0 * questions)) + UpperQuantile(kMissed);
  const double root = quantiles * standard_deviation / mean_difference;
  if (!(root * root <= kMostPairs)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(root * root));
}

std::int64_t LeastPairs(int questions) {
  return 1 + static_cast<std::int64_t>(
                 std::ceil(std::log2(questions / kSignificance)));
}

}  // namespace coppice::lab
