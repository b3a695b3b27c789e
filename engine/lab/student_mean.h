// A mean and how far it may be off, by Student's distribution.
//
// Strata are tasks, which nobody drew at random: the error is that of the
// scores within each of them.  For strata with n values of variance s^2 each,
//
//   error^2 = sum of n s^2 / (all values)^2
//
// and its degrees of freedom are those of Welch (1947) and Satterthwaite
// (1946), so that few values give a wide interval.  Efron and Tibshirani 1993,
// chapters 12 and 13, compare it with resampling: the percentiles of few
// values are too near to each other (bootstrap.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/records/speedup.h"

namespace coppice::lab {

using Strata = std::vector<std::vector<double>>;  // [task][seed].

struct IntervalEstimate {
  double value = 0.0;
  // 95 %.  None if a stratum has fewer than two values, which do not show that
  // it varies.
  std::optional<Interval> interval;
};

// What freedom strata leave: of one stratum its values less one.  None if a
// stratum has fewer than two values.  No value varies: that of all strata.
std::optional<double> DegreesOfFreedom(const Strata& strata);

// Without any values it is 0, without an interval.
IntervalEstimate StudentMean(const Strata& strata);

// One stratum.
IntervalEstimate StudentMean(std::span<const double> values);

}  // namespace coppice::lab
