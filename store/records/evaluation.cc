#include "store/records/evaluation.h"

#include <cmath>

#include "store/records/paired_rounds.h"

namespace coppice {

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
