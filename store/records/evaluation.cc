#include "store/records/evaluation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace coppice {

double Median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  if (samples.size() % 2 == 1) return samples[middle];
  return (samples[middle - 1] + samples[middle]) / 2.0;
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
}

}  // namespace coppice
