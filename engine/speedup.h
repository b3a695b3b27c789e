// How sure a measured speedup is.
#pragma once

#include <optional>
#include <string>

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

// How fast a candidate is as a multiple of another.
struct Comparison {
  double ratio = 1.0;
  // 95 %, from both intervals; none if either has none.
  std::optional<Interval> interval;

  // Faster (> 0) or slower (< 0) if the interval leaves 1 out by at least half
  // a per cent, the difference below which nothing is claimed; otherwise 0:
  // cannot tell.
  int Sign() const;
};

// By their speedups over the root, each measured in its own session, so that
// the root stands in for the machine's changes between them.
// REQUIRES: both have runtimes.
Comparison Compare(const Evaluation& a, const Evaluation& b);

// `evaluation` of the one with the other in the place of the root: interleaved
// in one session.  REQUIRES: it has runtimes.
Comparison CompareDirectly(const Evaluation& evaluation);

// "1.31x as fast (95 % interval 1.28x to 1.34x)", or "cannot tell ...".
std::string Describe(const Comparison& comparison);

}  // namespace coppice::engine
