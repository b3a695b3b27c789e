// Two campaigns that tests read the same numbers from.  The edits of both are
// at 0.4 of their parents, plus a constant, give or take the same.
#pragma once

#include <vector>

#include "search/landscapes/recorded_campaign.h"

namespace coppice::search {

// Log speedups:  0 - 1.0 - 1.1
//                  |     - 1.3
//                  - 2.0 - 1.5
//                  |     - 1.7
//                  - does not compile - 0.5
// and the other one: all doubled, without the last line.
inline std::vector<RecordedCampaign> TwoCampaigns(double noise = 0.0) {
  const auto passing = [&](std::size_t parent, double log_speedup) {
    return RecordedNode{parent, Verdict::kPassed, log_speedup, noise};
  };
  RecordedCampaign one;
  one.nodes = {{},
               passing(0, 1.0),
               passing(0, 2.0),
               passing(1, 1.1),
               passing(1, 1.3),
               passing(2, 1.5),
               passing(2, 1.7)};
  RecordedCampaign doubled = one;
  for (RecordedNode& node : doubled.nodes) node.log_speedup *= 2.0;
  one.nodes.push_back({0, Verdict::kCompileFailed, 0.0, 0.0});
  one.nodes.push_back(passing(7, 0.5));
  return {one, doubled};
}

}  // namespace coppice::search
