// What this machine can tell apart.
//
// The task's root is judged as a candidate, again and again: its true speedup
// is 1, so whatever else is measured is noise, of all kinds at once.
#pragma once

#include <functional>
#include <vector>

#include "engine/clock.h"
#include "eval/evaluator.h"
#include "store/records/result.h"

namespace coppice::engine {

struct TierNoise {
  Tier tier = Tier::kFast;
  std::vector<double> speedups;  // Of the sessions that passed.
  int failed = 0;                // The others.
  int covered = 0;               // Whose 95 % interval held the true 1.
  double seconds = 0.0;          // Wall time of a session, the median.
  Environment where;             // That of the last session.
};

// The least relative difference of two kernels' speeds that two measurements
// tell apart 19 times in 20:  exp(1.96 sqrt(2) s) - 1, with s^2 the mean of
// the squares of the speedups' logarithms.  Infinity for none.
double Resolution(const TierNoise& noise);

// `sessions` evaluations in each tier.  `said` is called after each one.  Fails
// with kUsage if the root is wrong, rather than badly measured.
Result<std::vector<TierNoise>> MeasureNoise(eval::Evaluator& evaluator,
                                            const Task& task, int sessions,
                                            const Clock& clock,
                                            const std::function<void()>& said);

}  // namespace coppice::engine
