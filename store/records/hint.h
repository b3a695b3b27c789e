// How a kernel ran that computed wrong: a hint of what its repair may be worth,
// and no speed.  It may be fast because it skips work that the right one must
// do, so nothing ranks, scores or reports by it; policies and agents may go by
// it when they choose what to repair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace coppice {

struct Hint {
  double factor = 1.0;  // So many times as fast as the root it ran.
  double low = 1.0;     // 95 %, of the noise of these rounds alone.
  double high = 1.0;
  std::int64_t samples = 0;  // Rounds in which root and kernel ran in turn.
};

// Takes ln(root's time / kernel's time) of each round, by workload, and gives a
// mean over workloads of equal weights.  None if there is no workload, or one
// has fewer than 3 rounds.
std::optional<Hint> HintOf(const std::vector<std::vector<double>>& log_factors);

// "ran about 1.80x as fast as the root (1.60-2.00), though it was wrong".
std::string HintText(const Hint& hint);

}  // namespace coppice
