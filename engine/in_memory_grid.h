// A grid of campaigns on landscapes in memory: thousands of each policy on each
// landscape, of which only the scores are kept.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/lab/comparison.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/task_law.h"
#include "store/records/result.h"

namespace coppice::engine {

struct InMemoryGrid {
  std::vector<std::string> policies;  // Contenders (engine/contender.h).
  std::vector<std::string> landscapes;
  std::uint64_t first_seed = 1;
  std::int64_t seeds = 2000;
  std::vector<std::int64_t> budgets;  // Ascending.
  search::BudgetUnit unit = search::BudgetUnit::kAttempts;
};

// Log speedups of the kernel that is fastest within each budget once incumbents
// were measured without noise, as in a file (engine/proof.h); 0 if the root is.
// A campaign goes to the last budget, and is looked at on its way there.
class InMemoryScores {
 public:
  explicit InMemoryScores(const InMemoryGrid& grid);

  struct Place {
    std::size_t policy = 0;
    std::size_t landscape = 0;
    std::size_t seed = 0;  // From the first, as
    std::size_t budget = 0;
  };
  struct Value {
    double log_speedup = 0.0;
    bool solved = false;
  };
  Value& At(const Place& place) { return values_[Index(place)]; }

  // Of one landscape, or of all if there is none of that number.
  std::vector<lab::Score> ScoresOf(std::size_t budget,
                                   std::size_t landscape) const;

 private:
  std::size_t Index(const Place& place) const;

  InMemoryGrid grid_;
  std::vector<Value> values_;
};

// `laws` are the landscapes', in order.  `tell` is called by one thread at a
// time with the share of the campaigns that are done.
Result<InMemoryScores> RunGridInMemory(
    const InMemoryGrid& grid, const std::vector<search::TaskLaw>& laws,
    int threads, const std::function<void(double share)>& tell);

}  // namespace coppice::engine
