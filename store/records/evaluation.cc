#include "store/records/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "store/records/paired_rounds.h"

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

void Summarise(Evaluation& evaluation) {
  double log_runtime = 0.0;
  double log_root = 0.0;
  for (const WorkloadResult& result : evaluation.workloads) {
    log_runtime += std::log(Median(result.samples_s));
    log_root += std::log(Median(result.root_samples_s));
  }
  const auto count = static_cast<double>(evaluation.workloads.size());
  evaluation.runtime_s = std::exp(log_runtime / count);
  evaluation.root_runtime_s = std::exp(log_root / count);
  evaluation.speedup = SpeedupOf(evaluation.workloads);
}

}  // namespace coppice
