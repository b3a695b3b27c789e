#include "engine/run/grid.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace coppice::engine {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {
    "attempts", "tokens", "dollars", "evaluator_seconds"};

// Keys of the marks.
constexpr std::string_view kPolicy = "compare_policy";
constexpr std::string_view kTask = "compare_task";
constexpr std::string_view kKind = "compare_budget_kind";
constexpr std::string_view kAmount = "compare_budget";
constexpr std::string_view kHeldOut = "compare_held_out";

std::string NumberText(double number) {
  std::ostringstream text;
  text.precision(15);
  text << number;
  return text.str();
}

std::optional<std::string> Value(const store::CampaignRow& row,
                                 std::string_view key) {
  for (const store::CampaignSetting& setting : row.spec.settings) {
    if (setting.key == key) return setting.value;
  }
  return std::nullopt;
}

template <class T>
void AddNew(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

std::string_view Name(BudgetKind kind) {
  return kKinds.at(static_cast<std::size_t>(kind));
}

Result<BudgetKind> ParseBudgetKind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name);
  if (found != kKinds.end()) {
    return static_cast<BudgetKind>(found - kKinds.begin());
  }
  std::string what = "budget kind '" + std::string(name) + "' is none of";
  for (const std::string_view known : kKinds) what.append(" ").append(known);
  return Fail(Errc::kUsage, std::move(what));
}

std::string Describe(const Budget& budget) {
  std::string text = NumberText(budget.amount) + " ";
  for (const char c : Name(budget.kind)) text += c == '_' ? ' ' : c;
  if (budget.amount == 1.0) text.pop_back();
  return text;
}

std::vector<Cell> CellsOf(const Grid& grid) {
  std::vector<Cell> cells;
  for (const std::uint64_t seed : grid.seeds) {
    for (const std::string& task : grid.tasks) {
      for (const std::string& policy : grid.policies) {
        cells.push_back({policy, task, seed, grid.held_out});
      }
    }
  }
  return cells;
}

std::string CampaignName(const Cell& cell, const Budget& budget) {
  std::string name = "compare." + cell.task + "." + cell.policy + ".s" +
                     std::to_string(cell.seed);
  if (budget.kind == BudgetKind::kAttempts) return name;
  return name + "." + NumberText(budget.amount) + "_" +
         std::string(Name(budget.kind));
}

std::vector<store::CampaignSetting> Marks(const Cell& cell,
                                          const Budget& budget) {
  std::vector<store::CampaignSetting> marks = {
      {std::string(kPolicy), cell.policy, "compare"},
      {std::string(kTask), cell.task, "compare"},
      {std::string(kKind), std::string(Name(budget.kind)), "compare"}};
  if (budget.kind != BudgetKind::kAttempts) {
    marks.push_back(
        {std::string(kAmount), NumberText(budget.amount), "compare"});
  }
  if (cell.held_out) {
    marks.push_back({std::string(kHeldOut), "yes", "compare"});
  }
  return marks;
}

std::optional<Marked> ReadMarks(const store::CampaignRow& row) {
  const auto policy = Value(row, kPolicy);
  const auto task = Value(row, kTask);
  const auto kind = ParseBudgetKind(Value(row, kKind).value_or(""));
  if (!policy || !task || !kind) return std::nullopt;
  Budget budget{*kind, static_cast<double>(row.spec.budget_attempts)};
  if (*kind != BudgetKind::kAttempts) {
    budget.amount = std::atof(Value(row, kAmount).value_or("0").c_str());
  }
  const bool held_out = Value(row, kHeldOut).has_value();
  return Marked{{*policy, *task, row.spec.seed, held_out}, budget};
}

Result<Grid> FindGrid(const std::vector<store::CampaignRow>& rows,
                      std::optional<BudgetKind> kind) {
  Grid grid;
  grid.budget.amount = 0.0;
  for (const store::CampaignRow& row : rows) {
    const auto marked = ReadMarks(row);
    if (!marked || marked->cell.held_out) continue;
    if (!kind) kind = marked->budget.kind;
    if (marked->budget.kind != *kind) continue;
    grid.budget.kind = *kind;
    grid.budget.amount = std::max(grid.budget.amount, marked->budget.amount);
    AddNew(grid.policies, marked->cell.policy);
    AddNew(grid.tasks, marked->cell.task);
    AddNew(grid.seeds, marked->cell.seed);
  }
  if (!grid.policies.empty()) return grid;
  std::string what = "holds no comparison";
  if (kind) what += " by " + std::string(Name(*kind));
  return Fail(Errc::kNotFound, std::move(what));
}

}  // namespace coppice::engine
