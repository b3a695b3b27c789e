#include "engine/lab/averages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace coppice::lab {

double Mean(std::span<const double> values) {
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double InterquartileMean(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;
  return Mean(std::span(values).subspan(cut, values.size() - 2 * cut));
}

double StandardDeviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double mean = Mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace coppice::lab
