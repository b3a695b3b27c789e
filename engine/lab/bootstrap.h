// How far an average of scores may be off, by resampling them.
//
// Strata are tasks: a resample draws from each task's scores as many as there
// are, so that the mix of tasks, which nobody drew at random, stays.  The
// interval is the 2.5 % and 97.5 % quantile of the resampled averages (Efron
// 1979, the percentile method; stratified as in Agarwal et al. 2021, 4.1).
//
// Resampling n values shows (n - 1) / n of the variance of their mean, so what
// is drawn is first moved away from the mean of its task by the factor
// sqrt(n / (n - 1)).  An interval is still the quantiles of a normal and not of
// Student's distribution: of few values, too narrow.
#pragma once

#include <optional>
#include <vector>

#include "engine/lab/interval.h"
#include "store/records/random.h"

namespace coppice::lab {

using Strata = std::vector<std::vector<double>>;  // [task][seed].

struct Estimate {
  double value = 0.0;
  // 95 %.  None if a stratum has fewer than two values: resampling could not
  // show that it varies.
  std::optional<Interval> interval;
};

struct Estimates {
  Estimate mean;
  Estimate interquartile_mean;
};

inline constexpr int kResamples = 10'000;

// Of no values at all: 0, without an interval.
// O(resamples * values).
Estimates Bootstrap(const Strata& strata, RandomStream& stream,
                    int resamples = kResamples);

// The mean alone, in half the time.
Estimate BootstrapMean(const Strata& strata, RandomStream& stream,
                       int resamples = kResamples);

}  // namespace coppice::lab
