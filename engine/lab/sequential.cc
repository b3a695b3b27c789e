#include "engine/lab/sequential.h"

#include <algorithm>

namespace coppice::lab {

std::vector<std::int64_t> Looks(std::int64_t first, std::int64_t most) {
  std::vector<std::int64_t> looks;
  for (std::int64_t seeds = first; seeds < most; seeds *= 2) {
    looks.push_back(seeds);
  }
  looks.push_back(most);
  return looks;
}

void Sequential::Look(const Comparison& comparison, std::int64_t seeds) {
  asked_ = comparison.differences.size();
  for (const Difference& each : comparison.differences) {
    if (each.adjusted_p > level_) continue;
    told_.try_emplace(each.policy, Told{DirectionOf(each), seeds});
  }
}

}  // namespace coppice::lab
