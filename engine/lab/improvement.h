// How often one policy does better than another.
#pragma once

#include <span>

namespace coppice::lab {

// The share of pairs with a difference above 0, a tie counting half; 0.5 if
// there are none.
//
// Agarwal et al. 2021, appendix A.3, set every score on a task against every
// other (Mann-Whitney), since their seeds have nothing in common.  Where a seed
// draws the task, that would be to set results on different tasks against each
// other; pairs of equal seed are on the same.
double ProbabilityOfImprovement(std::span<const double> differences);

}  // namespace coppice::lab
