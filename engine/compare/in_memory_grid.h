// A grid of campaigns on landscapes in memory: thousands of each policy on each
// landscape, of which only the scores are kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/lab/comparison.h"
#include "search/landscapes/budget_unit.h"
#include "store/records/result.h"

namespace coppice::search {
class TaskLaw;
}

namespace coppice::engine {

// The version of playing and scoring in memory.  Policies tell theirs by their
// names, and landscapes by their definitions.  Raise it when a change would
// give a campaign another score, so that a file does not mix them.
inline constexpr std::int64_t kInMemoryRules = 2;

struct InMemoryGrid {
  std::vector<std::string>
      policies;  // Contenders (engine/compare/contender.h).
  std::vector<std::string> landscapes;
  std::vector<std::uint64_t> seeds;   // Ascending.
  std::vector<std::int64_t> budgets;  // Ascending.
  search::BudgetUnit unit = search::BudgetUnit::kAttempts;
};

// What the kernel that counts as the fastest within each budget is worth, once
// incumbents were measured without noise, as in a file
// (engine/compare/confirm_winner.h); 0 if the root is.  A campaign goes to the
// last budget, and is looked at on its way there, unless its policy looks
// ahead: then there is one for each budget.
class InMemoryScores {
 public:
  explicit InMemoryScores(const InMemoryGrid& grid);

  // Numbers in the grid's lists.
  struct Place {
    std::size_t policy = 0;
    std::size_t landscape = 0;
    std::size_t seed = 0;
    std::size_t budget = 0;
  };
  struct Value {
    double log_speedup = 0.0;
    std::int32_t attempts = 0;  // The budget, if that is of attempts.
    std::int32_t compiled = 0;  // Of the attempts,
    std::int32_t correct = 0;   // likewise.
    bool solved = false;
    bool known = false;
    bool operator==(const Value&) const = default;
  };
  const InMemoryGrid& grid() const { return grid_; }
  Value& At(const Place& place) { return values_[Index(place)]; }
  const Value& At(const Place& place) const { return values_[Index(place)]; }

  // The scores on one landscape, or on all if there is none of that number, of
  // the seeds that all policies have a score of.
  std::vector<lab::Score> ScoresOf(std::size_t budget,
                                   std::size_t landscape) const;

  // Campaigns of which a score is not known.
  std::int64_t CountMissing() const;

 private:
  std::size_t Index(const Place& place) const;

  InMemoryGrid grid_;
  std::vector<Value> values_;
};

// Campaigns that were played to their end: numbers of seeds.
struct PlayedInMemory {
  std::size_t policy = 0;
  std::size_t landscape = 0;
  std::vector<std::size_t> seeds;
  double share = 0.0;  // Of the grid's campaigns: those with all scores.
};

// kUsage: a policy is none, or has a setting that makes no difference in
// memory.
Result<void> CheckInMemory(const std::vector<std::string>& policies);

// Plays what `scores` lacks, into it: some seeds of all policies on all
// landscapes, and then the next, so that it is of use wherever it is cut.
// `laws` are the landscapes', in order.  `tell` is called by one thread at a
// time, and its error ends the work.  So does `draining`.  kCorrupt: a score
// that was known is not the one that the campaign has.
Result<void> PlayInMemory(
    const std::vector<search::TaskLaw>& laws, int threads,
    const std::atomic<bool>& draining, InMemoryScores& scores,
    const std::function<Result<void>(const PlayedInMemory&)>& tell);

}  // namespace coppice::engine
