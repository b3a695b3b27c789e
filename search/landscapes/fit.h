// What recorded campaigns tell of a landscape: rates, gains and what is left to
// gain, and the parameters of a terrain that they come nearest to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/landscapes/fitted_law.h"
#include "search/landscapes/recorded_campaign.h"
#include "store/records/result.h"

namespace coppice::search {

struct Rate {
  std::int64_t attempts = 0;
  std::int64_t compiled = 0;
  std::int64_t passed = 0;
};

// Edits of parents at one depth.
struct Inheritance {
  std::size_t depth = 0;  // The last stands for all that are deeper, too.
  std::size_t edits = 0;
  // Slope of the child's log speedup over its parent's, within campaigns; none:
  // their parents do not differ.
  std::optional<double> slope;
};

// A third of the edits, by how far their parents are below the campaign's best.
struct Returns {
  double nearest = 0.0;  // Log distances.
  double farthest = 0.0;
  std::size_t edits = 0;
  double improving = 0.0;  // The share above their parents.
  double gain = 0.0;       // Median.
};

struct Estimates {
  Rate first_hops;  // Attempts on roots.
  Rate edits;       // On others that pass.
  Rate repairs;     // On what fails.
  VerdictCounts verdicts{};
  std::vector<double> first_hop;  // Log speedups, ascending.
  std::vector<double> gains;      // Of edits over their parents, ascending.
  std::vector<Inheritance> inheritance;
  std::vector<Returns> returns;
  double noise = 0.0;  // Median; of a measured log speedup.
};
Estimates EstimatesOf(std::span<const RecordedCampaign> campaigns);

// Fits by moments and medians, to four digits.  A task's ceiling is its best
// and the way from its second best to that once more (Robson and Whitlock
// 1964). kUsage: fewer than two campaigns have two edits.  REQUIRES: hill or
// weak.
Result<FittedLaw> Fit(Family family,
                      std::span<const RecordedCampaign> campaigns);

}  // namespace coppice::search
