// The middle and the quantiles of numbers in any order, of which there are
// some.
#pragma once

#include <vector>

namespace coppice::search {

double Mean(const std::vector<double>& numbers);

// Linear between the two nearest, as numpy has it.  REQUIRES: `share` is in
// [0, 1].
double Quantile(std::vector<double> numbers, double share);

}  // namespace coppice::search
