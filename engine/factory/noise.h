// What this machine can tell apart, and whether its intervals are to be
// believed: one kernel is judged again and again, as if by different names.
//
// The task's root has the true speedup 1, and any kernel that of 1 over itself:
// whatever else is measured is noise, of all kinds at once.
#pragma once

#include <functional>
#include <vector>

#include "store/records/evaluation.h"
#include "store/records/result.h"
#include "store/records/speedup.h"
#include "store/records/tier.h"

namespace coppice {
struct Candidate;
struct Task;
}  // namespace coppice
namespace coppice::eval {
class Evaluator;
}

namespace coppice::engine {

class Clock;

struct TierNoise {
  Tier tier = Tier::kFast;
  std::vector<Evaluation> sessions;
  std::vector<double> seconds;  // [sessions] of wall time.

  // The speedups of the sessions that passed.
  std::vector<coppice::Speedup> Speedups() const;
  int Failed() const;  // Sessions that did not pass.
};

// Claims about pairs of equal kernels, of which none should say faster.
struct Claims {
  int pairs = 0;
  int held = 0;  // Whose 95 % interval held the true 1.
  int faster = 0;
  int slower = 0;
  int untold = 0;  // Had no interval.
};

// The root as a candidate over the root.
Claims AgainstRoot(const TierNoise& noise);

// Each second session that passed over the one before it, as kernels of one
// campaign are compared.
Claims AgainstEachOther(const TierNoise& noise);

// The least relative difference of two kernels' speeds that two measurements
// tell apart 19 times in 20:  exp(1.96 sqrt(2) s) - 1, with s^2 the variance of
// the speedups' logarithms about their mean.  Infinity for fewer than two.
double Resolution(const std::vector<coppice::Speedup>& speedups);

// `sessions` evaluations of `kernel` in each of `tiers`.  `said` is called
// after each one.  Fails with kUsage if it is wrong, rather than badly
// measured.
Result<std::vector<TierNoise>> MeasureNoise(eval::Evaluator& evaluator,
                                            const Task& task,
                                            const Candidate& kernel,
                                            const std::vector<Tier>& tiers,
                                            int sessions, const Clock& clock,
                                            const std::function<void()>& said);

}  // namespace coppice::engine
