#include "store/records/tried_configuration.h"

#include <algorithm>

namespace coppice {

std::size_t CountNearBest(std::span<const TriedConfiguration> tried) {
  double best = 0.0;
  for (const TriedConfiguration& each : tried) {
    if (each.speedup) best = std::max(best, each.speedup->ratio);
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(tried, [&](const TriedConfiguration& each) {
        return each.speedup && each.speedup->ratio * kAsGoodAsTheBest >= best;
      }));
}

std::string TuningText(std::span<const TriedConfiguration> tried) {
  const auto chosen =
      std::ranges::find_if(tried, &TriedConfiguration::is_chosen);
  if (chosen == tried.end()) return "";
  const std::size_t near = CountNearBest(tried);
  return chosen->values + (chosen == tried.begin() ? ", as written," : "") +
         " won of " + std::to_string(tried.size()) +
         (tried.size() == 1 ? " configuration" : " configurations") +
         " tried; " + std::to_string(near) + (near == 1 ? " lies" : " lie") +
         " within 3 % of the fastest";
}

}  // namespace coppice
