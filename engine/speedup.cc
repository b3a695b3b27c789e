#include "engine/speedup.h"

#include <cmath>

#include "eval/stopping.h"

namespace coppice::engine {

std::optional<Interval> SpeedupInterval(const Evaluation& evaluation) {
  if (!evaluation.runtime_s || !evaluation.root_runtime_s ||
      evaluation.workloads.empty()) {
    return std::nullopt;
  }
  double variance = 0.0;
  for (const WorkloadResult& workload : evaluation.workloads) {
    const double own = eval::MedianNoise(workload.samples_s);
    const double root = eval::MedianNoise(workload.root_samples_s);
    variance += own * own + root * root;
  }
  if (!std::isfinite(variance)) return std::nullopt;
  const auto workloads = static_cast<double>(evaluation.workloads.size());
  const double factor = std::exp(1.96 * std::sqrt(variance) / workloads);
  const double speedup = *evaluation.root_runtime_s / *evaluation.runtime_s;
  return Interval{speedup / factor, speedup * factor};
}

}  // namespace coppice::engine
