// How far an interquartile mean of scores may be off, by resampling them.
//
// Strata are tasks: a resample draws from each task's scores as many as there
// are, so that the mix of tasks, which nobody drew at random, stays (Efron
// 1979; stratified as in Agarwal et al. 2021, 4.1).
//
// The 2.5 % and 97.5 % quantiles of resamples are too near to each other where
// values are few, for two reasons.  Resampling n values shows (n - 1) / n of
// the variance of their mean, so what is drawn is first moved away from the
// mean of its task by the factor sqrt(n / (n - 1)).  And quantiles are a
// normal's and not Student's, so how far they are from the estimate is
// stretched by the ratio of the two points (the expanded percentile interval,
// Hesterberg 2015, section 3.4).
#pragma once

#include "engine/lab/student_mean.h"
#include "store/records/random.h"

namespace coppice::lab {

inline constexpr int kResamples = 10'000;

// Without any values it is 0, without an interval.  O(resamples * values).
IntervalEstimate BootstrapInterquartileMean(const Strata& strata,
                                            RandomStream& stream,
                                            int resamples = kResamples);

}  // namespace coppice::lab
