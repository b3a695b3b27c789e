#include "store/records/evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

namespace {

// Logarithms of the root's time over the candidate's, round by round.
std::vector<double> LogRatios(const WorkloadResult& result) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < result.samples_s.size(); ++i) {
    ratios.push_back(std::log(result.root_samples_s[i] / result.samples_s[i]));
  }
  return ratios;
}

// 1.2533 IQR / 1.349 / sqrt(n): the asymptotic standard error of a normal
// sample's median, with the interquartile range for sigma.
double MedianError(const std::vector<double>& values) {
  const Quartiles quartiles = QuartilesOf(values);
  return 1.2533 * (quartiles.upper - quartiles.lower) / 1.349 /
         std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

Speedup SpeedupOf(const std::vector<WorkloadResult>& workloads) {
  constexpr std::size_t kFewest = 4;  // Rounds that tell how much they vary.
  double sum = 0.0;
  double variance = 0.0;
  bool is_known = true;
  for (const WorkloadResult& result : workloads) {
    if (result.samples_s.size() != result.root_samples_s.size()) {
      sum += std::log(Median(result.root_samples_s) / Median(result.samples_s));
      is_known = false;
      continue;
    }
    const std::vector<double> ratios = LogRatios(result);
    sum += Median(ratios);
    is_known = is_known && ratios.size() >= kFewest;
    const double error = MedianError(ratios);
    variance += error * error;
  }
  const auto count = static_cast<double>(workloads.size());
  const double ratio = std::exp(sum / count);
  if (!is_known) return {ratio, std::nullopt};
  const double factor = std::exp(1.96 * std::sqrt(variance) / count);
  return {ratio, Interval{ratio / factor, ratio * factor}};
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
