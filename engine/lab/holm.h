// Many questions asked of one experiment.
#pragma once

#include <vector>

namespace coppice::lab {

// p-values adjusted by Holm 1979 ("A simple sequentially rejective multiple
// test procedure"), in the order given: with m of them and p(1) <= ... <= p(m),
// adjusted p(k) = max over j <= k of min(1, (m - j + 1) p(j)).  Calling those
// below 0.05 different is wrong about any at all in at most 5 % of experiments.
std::vector<double> HolmAdjusted(const std::vector<double>& p_values);

}  // namespace coppice::lab
