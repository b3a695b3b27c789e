// The campaigns of a comparison: each policy on each task with each seed.
//
// What belongs to a comparison is kept in the settings stored with its
// campaigns, so that the database alone says what its grid is, and a grid may
// grow by policies, tasks and seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

enum class BudgetKind : std::uint8_t {
  kAttempts,
  kTokens,
  kDollars,
  kEvaluatorSeconds,
};
std::string_view Name(BudgetKind kind);  // "evaluator_seconds".
// kUsage names those there are.
Result<BudgetKind> ParseBudgetKind(std::string_view name);

// What every campaign may use.
struct Budget {
  BudgetKind kind = BudgetKind::kAttempts;
  double amount = 30.0;
};
std::string Describe(const Budget& budget);  // "30 attempts", "0.5 dollars".

struct Cell {
  std::string policy;  // A contender (engine/compare/contender.h).
  std::string task;    // As the user named it.
  std::uint64_t seed = 1;
  bool held_out = false;  // From whatever is chosen by the comparison.
  bool operator==(const Cell&) const = default;
};

struct Grid {
  std::vector<std::string> policies;
  std::vector<std::string> tasks;
  std::vector<std::uint64_t> seeds;
  Budget budget;
  bool held_out = false;  // All of its cells.
};

// Seed by seed, and on a task policy by policy: cut anywhere, it is of use.
std::vector<Cell> CellsOf(const Grid& grid);

// "compare.gemm_square.stark.s1".  Campaigns of attempts may be given more of
// them; those of another kind keep to their budget, and are named after it, as
// in "compare.gemm_square.stark.s1.200000_tokens".
std::string CampaignName(const Cell& cell, const Budget& budget);

// What is stored with the cell's campaign, beside its settings.
std::vector<store::CampaignSetting> Marks(const Cell& cell,
                                          const Budget& budget);

struct Marked {
  Cell cell;
  Budget budget;
};
// None: the campaign is of no comparison.
std::optional<Marked> ReadMarks(const store::CampaignRow& row);

// All cells of the kind that the file holds, in order of appearance, but for
// those that are held out; of
// attempts, with the greatest budget of any.  The first kind found without one.
// kNotFound if there are none.
Result<Grid> FindGrid(const std::vector<store::CampaignRow>& rows,
                      std::optional<BudgetKind> kind);

}  // namespace coppice::engine
