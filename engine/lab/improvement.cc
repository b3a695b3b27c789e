#include "engine/lab/improvement.h"

namespace coppice::lab {

double ProbabilityOfImprovement(std::span<const double> differences) {
  if (differences.empty()) return 0.5;
  double wins = 0.0;
  for (const double difference : differences) {
    if (difference > 0.0) wins += 1.0;
    if (difference == 0.0) wins += 0.5;
  }
  return wins / static_cast<double>(differences.size());
}

}  // namespace coppice::lab
