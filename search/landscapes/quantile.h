// Quantiles of numbers in any order.
#pragma once

#include <vector>

namespace coppice::search {

// Linear between the two nearest, as numpy has it.  REQUIRES: not empty;
// `share` is in [0, 1].
double Quantile(std::vector<double> numbers, double share);

}  // namespace coppice::search
