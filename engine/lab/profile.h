// Performance profiles: Dolan and More 2002, "Benchmarking optimization
// software with performance profiles".
#pragma once

#include <span>
#include <vector>

namespace coppice::lab {

// On one task with one seed, the log speedup that each policy reached, in the
// order of policies.
using Race = std::vector<double>;

// For each policy, at each factor: the share of races in which its kernel takes
// at most `factor` times as long as the fastest kernel of the race,
//   exp(greatest log speedup of the race - own) <= factor.
// At factor 1 this is how often it wins, ties included; the higher a profile
// lies, the better.  Without races it is 0.
//
// REQUIRES: all races have as many entries.
std::vector<std::vector<double>> PerformanceProfiles(
    std::span<const Race> races, std::span<const double> factors);

}  // namespace coppice::lab
