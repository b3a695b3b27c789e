#include "engine/lab/power.h"

#include <algorithm>
#include <cmath>

namespace coppice::lab {

std::optional<std::int64_t> PairsForPower(double mean_difference,
                                          double standard_deviation) {
  constexpr double kQuantiles = 2.8;
  constexpr double kMany = 1e15;  // Of no use, but a number.
  if (mean_difference == 0.0) return std::nullopt;
  const double root = kQuantiles * standard_deviation / mean_difference;
  return static_cast<std::int64_t>(std::ceil(std::min(root * root, kMany)));
}

std::int64_t LeastPairs(int questions) {
  return 1 + static_cast<std::int64_t>(
                 std::ceil(std::log2(questions / kSignificance)));
}

}  // namespace coppice::lab
