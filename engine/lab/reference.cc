#include "engine/lab/reference.h"

namespace coppice::lab {

std::optional<double> ShareOfOptimum(double log_speedup,
                                     const Reference& reference) {
  if (reference.optimum <= 0.0) return std::nullopt;
  return log_speedup / reference.optimum;
}

std::optional<double> ScoreOverRandom(double log_speedup,
                                      const Reference& reference) {
  if (reference.random >= kRandomIsEnough * reference.optimum) {
    return std::nullopt;
  }
  return (log_speedup - reference.random) /
         (reference.optimum - reference.random);
}

}  // namespace coppice::lab
