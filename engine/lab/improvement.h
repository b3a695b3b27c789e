// How often one policy does better than another.
#pragma once

#include "engine/lab/bootstrap.h"

namespace coppice::lab {

// P(a score of x > a score of y), the mean over tasks of the Mann-Whitney
// statistic: the share of all pairs of a score of each on that task in which x
// is greater, a tie counting half (Agarwal et al. 2021, appendix A.3).
//
// Tasks where either has no score are left out; 0.5 if none is left.
// REQUIRES: as many strata in both, in the same order of tasks.
double ProbabilityOfImprovement(const Strata& x, const Strata& y);

}  // namespace coppice::lab
