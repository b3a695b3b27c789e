// Draws of one of several by weight, and ShinkaEvolve's weights of parents.
#pragma once

#include <cstddef>
#include <vector>

#include "store/records/random.h"

namespace coppice::search {

// In proportion to the weights; one draw.  Uniform if they are all 0.
// REQUIRES: one weight at least.
std::size_t DrawByWeight(const std::vector<double>& weights,
                         RandomStream& stream);

// The chances of ShinkaEvolve's weighted rule (its database/parents.py), up to
// a factor.  With x0 the median of the values x, and D the median of |x - x0|
// (1e-6 at least),
//
//   sigmoid(lambda (x_i - x0) / D) / (1 + children_i)
//
// The median of an even number is the mean of the middle two.  REQUIRES: as
// many children as values, and one at least.
std::vector<double> ShinkaWeights(const std::vector<double>& values,
                                  const std::vector<int>& children,
                                  double lambda);

}  // namespace coppice::search
