#include "engine/cli/in_memory_words.h"

#include <algorithm>
#include <string_view>

#include "engine/cli/lists.h"
#include "engine/factory/landscape_tasks.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {

using engine::InMemoryGrid;

constexpr std::int64_t kMostSeedsInMemory = 1'000'000;
constexpr std::string_view kOneTask = "sim:basic";  // Not drawn by seeds.

Result<search::BudgetUnit> BudgetUnitOf(const Invocation& invocation) {
  using search::BudgetUnit;
  const bool is_factorial = invocation.Has("factorial");
  const std::string text = invocation.Text("budget-kind")
                               .value_or(is_factorial ? "calls" : "attempts");
  if (text == "attempts" && !is_factorial) return BudgetUnit::kAttempts;
  if (text != "calls" && text != "evaluator_seconds") {
    return Fail(Errc::kUsage,
                "--budget-kind " + text + ": campaigns in memory " +
                    (is_factorial ? "are of equal money by calls"
                                  : "use none; compare by attempts, calls") +
                    " or evaluator_seconds");
  }
  if (!invocation.arguments.empty()) {
    return Fail(Errc::kUsage, "--budget-kind " + text +
                                  ": files keep scores in memory by attempts "
                                  "only; compare without " +
                                  invocation.arguments.front());
  }
  if (text == "calls") return BudgetUnit::kCalls;
  if (invocation.Text("budget")) return BudgetUnit::kEvaluatorSeconds;
  return Fail(Errc::kUsage, "--budget: say how many evaluator_seconds");
}

Result<std::vector<std::int64_t>> BudgetsOf(
    const Invocation& invocation, const std::string& unit,
    const std::vector<std::int64_t>& file) {
  if (!invocation.Has("budget") && !file.empty()) return file;
  const std::string text = invocation.Text("budget").value_or("30");
  std::vector<std::int64_t> budgets;
  for (const std::string& word : SplitList(text)) {
    const auto budget = ParseNumber<std::int64_t>(word);
    if (!budget || *budget < 1 || *budget > 1'000'000) {
      return Fail(Errc::kUsage, "--budget " + text +
                                    ": expected whole numbers of " + unit +
                                    ", 1 to 1000000");
    }
    budgets.push_back(*budget);
  }
  if (budgets.empty()) return Fail(Errc::kUsage, "--budget: expected a number");
  std::ranges::sort(budgets);
  KeepFirsts(budgets);
  return budgets;
}

// Looks of --until-told are at as many seeds whatever a file has of them.
Result<std::vector<std::uint64_t>> ManySeedsOf(
    const Invocation& invocation, const std::vector<std::uint64_t>& file) {
  const bool is_said = invocation.Has("seeds") || invocation.Has("until-told");
  if (!is_said && !file.empty()) return file;
  return CountedSeeds(invocation, kMostSeedsInMemory, kManySeeds);
}

}  // namespace

Result<std::vector<std::string>> LandscapesOf(
    const Invocation& invocation, const std::string& option,
    const engine::LandscapeTasks& tasks,
    const std::vector<std::string>& otherwise) {
  TRY(words, GivenList(invocation, option, otherwise,
                       "as in --" + option + " sim:all"));
  std::vector<std::string> names;
  for (const std::string& word : words) {
    std::vector<std::string> sets = {word};
    if (word == "all") sets = {"sim:all", "recorded:all"};
    for (const std::string& set : sets) {
      if (!engine::LandscapeTasks::IsSet(set)) {
        names.push_back(set);
        continue;
      }
      TRY(some, tasks.NamesOfSet(set));
      std::erase(some, kOneTask);
      names.insert(names.end(), some.begin(), some.end());
    }
  }
  KeepFirsts(names);
  return names;
}

std::string UnitOf(const InMemoryGrid& grid) {
  switch (grid.unit) {
    case search::BudgetUnit::kAttempts:
      return "attempts";
    case search::BudgetUnit::kCalls:
      return "calls";
    case search::BudgetUnit::kEvaluatorSeconds:
      break;
  }
  return "evaluator seconds";
}

Result<InMemoryGrid> InMemoryGridOf(const Invocation& invocation,
                                    const engine::LandscapeTasks& tasks,
                                    const InMemoryGrid& file) {
  InMemoryGrid grid;
  TRY_ASSIGN(grid.policies, PoliciesOf(invocation, file.policies));
  const std::vector<std::string> every = {"all"};
  TRY_ASSIGN(grid.landscapes,
             LandscapesOf(invocation, "tasks", tasks,
                          file.landscapes.empty() ? every : file.landscapes));
  TRY_ASSIGN(grid.unit, BudgetUnitOf(invocation));
  TRY_ASSIGN(grid.budgets, BudgetsOf(invocation, UnitOf(grid), file.budgets));
  TRY_ASSIGN(grid.seeds, ManySeedsOf(invocation, file.seeds));
  return grid;
}

}  // namespace coppice::cli
