#include "search/landscapes/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace coppice::search {

double Mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

double Quantile(std::vector<double> numbers, double share) {
  std::ranges::sort(numbers);
  const double at = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, numbers.size() - 1);
  return std::lerp(numbers[below], numbers[above],
                   at - static_cast<double>(below));
}

}  // namespace coppice::search
