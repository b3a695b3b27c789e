#include "store/records/workload_result.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace coppice {

double Median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2.0;
}

double Mean(std::vector<double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) /
         static_cast<double>(samples.size());
}

Quartiles QuartilesOf(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    const double weight = place - std::floor(place);
    return samples[below] * (1.0 - weight) + samples[above] * weight;
  };
  return {at(0.25), at(0.5), at(0.75)};
}

}  // namespace coppice
