#include "engine/lab/holm.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace coppice::lab {

std::vector<double> HolmAdjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double greatest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    greatest = std::max(greatest, std::min(1.0, left * p_values[order[rank]]));
    adjusted[order[rank]] = greatest;
  }
  return adjusted;
}

}  // namespace coppice::lab
