// What a campaign of a comparison is worth at a budget.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/lab/comparison.h"
#include "engine/run/grid.h"
#include "store/read/progress_curve.h"

namespace coppice::engine {

// The fastest node that the budget reaches; of equals the first.  None if the
// root is the fastest.
std::optional<std::size_t> Incumbent(const std::vector<store::Step>& course,
                                     const Budget& budget);

// The score is the incumbent's speedup, which is proven if an evaluation of the
// full tier passed.  It is never below the root's, which is always there to
// fall back to.
lab::Score ScoreOf(const Cell& cell, const std::vector<store::Step>& course,
                   const Budget& budget);

// The grid's campaigns that have used the budget, or were ended by a rule
// before.
struct Scores {
  std::vector<lab::Score> scores;
  std::vector<Cell> missing;  // Not begun, or not at the end of the budget.
  // By name: people steered them, so they are no samples of their policies.
  std::vector<std::string> steered;
};
Result<Scores> ReadScores(store::Database& database,
                          const std::vector<store::CampaignRow>& rows,
                          const Grid& grid);

}  // namespace coppice::engine
