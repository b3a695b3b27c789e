#include "engine/lab/profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace coppice::lab {
namespace {

// By which the logarithms of equal runtimes may differ.
constexpr double kRounding = 1e-9;

}  // namespace

std::vector<std::vector<double>> PerformanceProfiles(
    std::span<const Race> races, std::span<const double> factors) {
  if (races.empty()) return {};
  std::vector<std::vector<double>> shares(races.front().size(),
                                          std::vector<double>(factors.size()));
  for (const Race& race : races) {
    const double best = *std::ranges::max_element(race);
    for (std::size_t policy = 0; policy < race.size(); ++policy) {
      for (std::size_t i = 0; i < factors.size(); ++i) {
        const bool is_near =
            best - race[policy] <= std::log(factors[i]) + kRounding;
        if (is_near) shares[policy][i] += 1.0;
      }
    }
  }
  const auto count = static_cast<double>(races.size());
  for (std::vector<double>& row : shares) {
    for (double& share : row) share /= count;
  }
  return shares;
}

}  // namespace coppice::lab
