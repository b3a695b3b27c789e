#include "engine/cli/compare_grid.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/cli/lists.h"
#include "engine/documents/open_history.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/factory/task_finder.h"
#include "store/database.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {

using engine::BudgetKind;
using engine::Grid;

constexpr std::int64_t kSeeds = 5;
constexpr std::int64_t kMostSeeds = 10'000;  // Each is a campaign of its own.

// One task; "cpu:level1" and "cpu:foreign": all of a level, "sim:all": a set of
// landscapes.
Result<std::vector<std::string>> TasksOfWord(
    const engine::CampaignFactory& factory, const std::string& word) {
  if (engine::LandscapeTasks::IsSet(word)) {
    return engine::LandscapeTasks(factory.settings().data_directory)
        .NamesOfSet(word);
  }
  const std::size_t at = word.find(':');
  const std::string device = word.substr(0, at);
  if (at == word.npos || (device != "cpu" && device != "cuda")) {
    TRY_DONE(factory.FindTask(word).map([](const auto&) {}));
    return std::vector{word};
  }
  constexpr std::string_view kLevel = "level";
  std::string level = word.substr(at + 1);
  if (level.starts_with(kLevel)) level.erase(0, kLevel.size());
  TRY(names, factory.tasks().TasksOfLevel(
                 level, device == "cpu" ? Language::kCpp : Language::kCuda));
  if (!names.empty()) return names;
  return Fail(Errc::kUsage, word +
                                ": there is no task of this level; there "
                                "are " +
                                device + ":level1, 2 and 3, and cpu:foreign");
}

Result<std::vector<std::uint64_t>> SeedsOf(
    const Invocation& invocation, const std::vector<std::uint64_t>& file) {
  if (!invocation.Has("seeds") && !file.empty()) return file;
  return CountedSeeds(invocation, kMostSeeds, kSeeds);
}

Result<double> AmountOf(const std::string& text, BudgetKind kind) {
  const auto amount = ParseNumber<double>(text);
  const bool is_whole =
      kind == BudgetKind::kAttempts || kind == BudgetKind::kTokens;
  if (amount && *amount > 0.0 && *amount <= 1e12 &&
      (!is_whole || *amount == std::floor(*amount))) {
    return *amount;
  }
  return Fail(Errc::kUsage, "--budget " + text + ": expected " +
                                (is_whole ? "a whole number of at least 1"
                                          : "a number above 0") +
                                " of " + std::string(Name(kind)));
}

Error NoComparison(const Invocation& invocation, const std::string& what) {
  return {Errc::kUsage, invocation.settings().db.string() + ": " + what +
                            "; start one: coppice compare FILE --policies "
                            "stark,greedy --tasks cpu:level1"};
}

}  // namespace

Result<std::vector<std::string>> ComparedTasks(
    const Invocation& invocation, const std::string& option,
    const engine::CampaignFactory& factory,
    const std::vector<std::string>& file) {
  TRY(words, GivenList(invocation, option, file,
                       "as in --" + option + " cpu:level1 or --" + option +
                           " gemv,sim:basic"));
  std::vector<std::string> tasks;
  for (const std::string& word : words) {
    TRY(names, TasksOfWord(factory, word));
    tasks.insert(tasks.end(), names.begin(), names.end());
  }
  KeepFirsts(tasks);
  return tasks;
}

Result<Grid> GridOf(const Invocation& invocation,
                    const engine::CampaignFactory& factory, const Grid& file) {
  Grid grid = file;
  TRY_ASSIGN(grid.policies, PoliciesOf(invocation, file.policies));
  TRY_ASSIGN(grid.tasks,
             ComparedTasks(invocation, "tasks", factory, file.tasks));
  TRY_ASSIGN(grid.seeds, SeedsOf(invocation, file.seeds));
  if (const auto text = invocation.Text("budget")) {
    TRY_ASSIGN(grid.budget.amount, AmountOf(*text, grid.budget.kind));
  } else if (file.policies.empty()) {
    if (grid.budget.kind != BudgetKind::kAttempts) {
      return Fail(Errc::kUsage, "--budget: say how many " +
                                    std::string(Name(grid.budget.kind)));
    }
    TRY_ASSIGN(grid.budget.amount,
               AmountOf(std::to_string(invocation.settings().budget_attempts),
                        grid.budget.kind));
  }
  return grid;
}

Result<std::vector<store::CampaignRow>> ComparedRows(
    const Invocation& invocation) {
  std::error_code failed;
  if (!std::filesystem::exists(invocation.settings().db, failed)) {
    if (!invocation.Has("report")) return std::vector<store::CampaignRow>();
    return tl::unexpected<Error>(NoComparison(invocation, "no such file"));
  }
  TRY(database, OpenToLook(invocation));
  return store::Campaigns(database).List();
}

Result<Grid> GridOfFile(const Invocation& invocation,
                        const std::vector<store::CampaignRow>& rows) {
  std::optional<BudgetKind> kind;
  if (const auto text = invocation.Text("budget-kind")) {
    if (*text == "calls") {
      return Fail(Errc::kUsage, "--budget-kind calls: is for --in-memory");
    }
    TRY_ASSIGN(kind, engine::ParseBudgetKind(*text));
  }
  auto found = engine::FindGrid(rows, kind);
  if (found) return found;
  if (invocation.Has("report")) {
    return tl::unexpected<Error>(NoComparison(invocation, found.error().what));
  }
  Grid fresh;
  fresh.budget.kind = kind.value_or(BudgetKind::kAttempts);
  return fresh;
}

}  // namespace coppice::cli
