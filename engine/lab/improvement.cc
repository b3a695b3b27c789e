#include "engine/lab/improvement.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace coppice::lab {
namespace {

// Pairs in which x is greater, ties as halves: how many of y are below it, and
// half of those level with it.
double Wins(const std::vector<double>& x, std::vector<double> y) {
  std::sort(y.begin(), y.end());
  double wins = 0.0;
  for (const double score : x) {
    const auto [level, above] = std::equal_range(y.begin(), y.end(), score);
    wins += static_cast<double>(level - y.begin()) +
            0.5 * static_cast<double>(above - level);
  }
  return wins;
}

}  // namespace

double ProbabilityOfImprovement(const Strata& x, const Strata& y) {
  double sum = 0.0;
  int tasks = 0;
  for (std::size_t task = 0; task < x.size(); ++task) {
    if (x[task].empty() || y[task].empty()) continue;
    sum += Wins(x[task], y[task]) /
           static_cast<double>(x[task].size() * y[task].size());
    ++tasks;
  }
  return tasks == 0 ? 0.5 : sum / tasks;
}

}  // namespace coppice::lab
