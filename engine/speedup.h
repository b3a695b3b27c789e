// How sure a measured speedup is.
#pragma once

#include <optional>

#include "store/records/evaluation.h"

namespace coppice::engine {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// A 95 % interval of root runtime over runtime, around the evaluation's own.
//
// With n_w and r_w the relative standard errors of workload w's median sample
// and of the root's (eval::MedianNoise), that of the logarithm of the ratio of
// geometric means over W workloads is  s = sqrt(sum n_w^2 + r_w^2) / W,  and
// the interval is speedup * exp(+-1.96 s).  Both series are taken in the same
// rounds; what noise they share cancels in the ratio, so this errs on the wide
// side.  None if it did not pass or has too few samples to tell.
std::optional<Interval> SpeedupInterval(const Evaluation& evaluation);

}  // namespace coppice::engine
