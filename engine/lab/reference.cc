#include "engine/lab/reference.h"

#include <algorithm>

namespace coppice::lab {

std::optional<double> ShareOfOptimum(double log_speedup,
                                     const Reference& reference) {
  if (reference.optimum <= 0.0) return std::nullopt;
  return std::min(log_speedup / reference.optimum, 1.0);
}

std::optional<double> ScoreOverRandom(double log_speedup,
                                      const Reference& reference) {
  if (reference.random >= kRandomIsEnough * reference.optimum) {
    return std::nullopt;
  }
  return std::min(
      (log_speedup - reference.random) / (reference.optimum - reference.random),
      1.0);
}

}  // namespace coppice::lab
