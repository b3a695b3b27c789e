#include "engine/cli/in_memory.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "engine/cli/campaigning.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/csv.h"
#include "engine/cli/document.h"
#include "engine/cli/figures.h"
#include "engine/cli/lists.h"
#include "engine/cli/table.h"
#include "engine/in_memory_grid.h"
#include "engine/lab/sequential.h"
#include "engine/landscape_tasks.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;
using engine::InMemoryGrid;

constexpr std::int64_t kManySeeds = 2000;
constexpr std::int64_t kFirstLook = 10;             // Seeds, of --until-told.
constexpr std::string_view kOneTask = "sim:basic";  // Not drawn by seeds.

// Policies at one budget, on one landscape or on all of them together.
struct Part {
  std::int64_t budget = 0;
  std::string landscape;  // Empty: all.
  lab::Comparison comparison;
};

struct Trial {
  InMemoryGrid grid;
  std::optional<lab::Sequential> sequential;  // Of --until-told.
  std::string baseline;
  std::vector<Part> parts;  // Budget by budget; of each, all together first.
};

Result<std::vector<std::string>> LandscapesOf(
    const Invocation& invocation, const engine::LandscapeTasks& tasks) {
  TRY(words, GivenList(invocation, "tasks", {"all"}, "as in --tasks sim:all"));
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

// What budgets are of, in words.
std::string UnitOf(const InMemoryGrid& grid) {
  return grid.unit == search::BudgetUnit::kAttempts ? "attempts"
                                                    : "evaluator seconds";
}

Result<search::BudgetUnit> BudgetUnitOf(const Invocation& invocation) {
  const auto text = invocation.Text("budget-kind");
  if (!text) return search::BudgetUnit::kAttempts;
  TRY(kind, engine::ParseBudgetKind(*text));
  if (kind == engine::BudgetKind::kAttempts) {
    return search::BudgetUnit::kAttempts;
  }
  if (kind == engine::BudgetKind::kEvaluatorSeconds) {
    if (invocation.Text("budget")) return search::BudgetUnit::kEvaluatorSeconds;
    return Fail(Errc::kUsage, "--budget: say how many evaluator_seconds");
  }
  return Fail(Errc::kUsage, "--budget-kind " + *text +
                                ": campaigns in memory use none; compare by "
                                "attempts or evaluator_seconds");
}

Result<std::vector<std::int64_t>> BudgetsOf(const Invocation& invocation,
                                            const std::string& unit) {
  const std::string text = invocation.Text("budget").value_or("30");
  std::vector<std::int64_t> budgets;
  for (const std::string& word : SplitList(text)) {
    std::int64_t budget = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, budget);
    if (error != std::errc() || rest != end || budget < 1 ||
        budget > 1'000'000) {
      return Fail(Errc::kUsage, "--budget " + text +
                                    ": expected whole numbers of " + unit +
                                    ", 1 to 1000000");
    }
    budgets.push_back(budget);
  }
  if (budgets.empty()) return Fail(Errc::kUsage, "--budget: expected a number");
  std::ranges::sort(budgets);
  KeepFirsts(budgets);
  return budgets;
}

Result<InMemoryGrid> GridOf(const Invocation& invocation,
                            const engine::LandscapeTasks& tasks) {
  InMemoryGrid grid;
  TRY(policies, PoliciesOf(invocation, {}));
  grid.policies = std::move(policies);
  TRY(landscapes, LandscapesOf(invocation, tasks));
  grid.landscapes = std::move(landscapes);
  TRY(unit, BudgetUnitOf(invocation));
  grid.unit = unit;
  TRY(budgets, BudgetsOf(invocation, UnitOf(grid)));
  grid.budgets = std::move(budgets);
  grid.first_seed = invocation.settings().seed;
  grid.seeds = invocation.Count("seeds").value_or(kManySeeds);
  if (grid.seeds < 1 || grid.seeds > 1'000'000) {
    return Fail(Errc::kUsage, "--seeds " + std::to_string(grid.seeds) +
                                  ": expected 1 to 1000000");
  }
  return grid;
}

Result<std::vector<search::TaskLaw>> LawsOf(
    const InMemoryGrid& grid, const engine::LandscapeTasks& tasks) {
  std::vector<search::TaskLaw> laws;
  for (const std::string& name : grid.landscapes) {
    if (!engine::LandscapeTasks::IsOne(name)) {
      return Fail(Errc::kUsage, name +
                                    ": is no landscape, as those are whose "
                                    "names begin with sim: or recorded:");
    }
    TRY(law, tasks.LawOf(name));
    if (grid.unit == search::BudgetUnit::kEvaluatorSeconds &&
        law.space() == nullptr) {
      return Fail(Errc::kUsage, "--budget-kind evaluator_seconds: judging " +
                                    name +
                                    " takes none; compare by attempts, or on "
                                    "recorded spaces");
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

Result<std::string> BaselineAmong(const Invocation& invocation,
                                  const InMemoryGrid& grid) {
  TRY(wanted, BaselineOf(invocation, grid.policies));
  if (wanted) return *std::move(wanted);
  const bool has_stark =
      std::ranges::find(grid.policies, "stark") != grid.policies.end();
  return has_stark ? "stark" : grid.policies.front();
}

// Resampling takes a while, too: by all threads.
void Compare(const engine::InMemoryScores& scores,
             const std::vector<lab::References>& references, int threads,
             Trial& trial) {
  const std::size_t landscapes = trial.grid.landscapes.size();
  struct Question {
    std::size_t budget;
    std::size_t landscape;
  };
  std::vector<Question> questions;
  trial.parts.clear();
  for (std::size_t b = 0; b < trial.grid.budgets.size(); ++b) {
    questions.push_back({b, landscapes});
    trial.parts.push_back({trial.grid.budgets[b], "", {}});
    for (std::size_t l = 0; l < landscapes && landscapes > 1; ++l) {
      questions.push_back({b, l});
      trial.parts.push_back(
          {trial.grid.budgets[b], trial.grid.landscapes[l], {}});
    }
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < questions.size(); i = next++) {
      trial.parts[i].comparison = lab::Compare(
          scores.ScoresOf(questions[i].budget, questions[i].landscape),
          trial.baseline, {}, references[questions[i].budget]);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

const lab::Difference* DifferenceOf(const lab::Comparison& comparison,
                                    const std::string& policy) {
  const auto found = std::ranges::find(comparison.differences, policy,
                                       &lab::Difference::policy);
  return found == comparison.differences.end() ? nullptr : &*found;
}

// Whether seeds are enough, by all landscapes together.
bool IsTold(std::int64_t seeds, Trial& trial) {
  if (!trial.sequential) return true;
  trial.sequential->Look(trial.parts.front().comparison, seeds);
  return trial.sequential->AllTold();
}

std::string FindingOf(const Trial& trial, const lab::Difference& difference) {
  if (!trial.sequential) return FindingText(difference);
  const auto& all = trial.sequential->told();
  const auto told = all.find(difference.policy);
  if (told == all.end()) return "cannot tell";
  return (told->second.finding == lab::Finding::kBetter ? "better" : "worse") +
         std::string(", told after ") + std::to_string(told->second.seeds);
}

void PrintTogether(const Trial& trial, const Part& part, Streams& streams) {
  streams.out << "\n"
              << part.budget << " " << UnitOf(trial.grid) << ": log speedup";
  if (trial.grid.policies.size() > 1) {
    streams.out << ", and difference from " << trial.baseline
                << " (95 % over seeds of these landscapes)";
  }
  streams.out << "\n";
  Table table({{"policy"},
               {"mean"},
               {"interquartile mean"},
               {"difference"},
               {"p (Holm)", Align::kRight},
               {"P(better)", Align::kRight},
               {"finding"}});
  for (const lab::PolicySummary& policy : part.comparison.policies) {
    std::vector<std::string> row = {
        policy.policy, Ranged(policy.log_speedup.mean, "%.3f"),
        Ranged(policy.log_speedup.interquartile_mean, "%.3f")};
    const lab::Difference* each = DifferenceOf(part.comparison, policy.policy);
    if (each == nullptr) {
      row.insert(row.end(), {"", "", "", ""});
    } else {
      row.insert(row.end(), {Ranged(each->log_speedup, "%+.3f"),
                             Formatted(each->adjusted_p, "%.4f"),
                             Formatted(100.0 * each->probability_of_improvement,
                                       "%.0f %%"),
                             FindingOf(trial, *each)});
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
  streams.out << IntervalWarning(part.comparison);
  PrintOverTasks(part.comparison, streams);
  PrintKnown(part.comparison, streams);
}

// A row for each landscape: the baseline's mean, and how far the others differ.
void PrintByLandscape(const Trial& trial, std::int64_t budget,
                      Streams& streams) {
  std::vector<Column> columns = {{"by landscape"},
                                 {trial.baseline, Align::kRight}};
  for (const std::string& policy : trial.grid.policies) {
    if (policy != trial.baseline) columns.push_back({policy, Align::kRight});
  }
  Table table(std::move(columns));
  for (const Part& part : trial.parts) {
    if (part.budget != budget || part.landscape.empty()) continue;
    const auto base = std::ranges::find(
        part.comparison.policies, trial.baseline, &lab::PolicySummary::policy);
    std::vector<std::string> row = {
        part.landscape, Formatted(base->log_speedup.mean.value, "%.3f ")};
    for (const std::string& policy : trial.grid.policies) {
      const lab::Difference* each = DifferenceOf(part.comparison, policy);
      if (each == nullptr) continue;
      const bool told =
          !trial.sequential && each->finding != lab::Finding::kCannotTell;
      row.push_back(Formatted(each->log_speedup.value, "%+.3f") +
                    (told ? "*" : " "));
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
}

void PrintText(const Trial& trial, Streams& streams) {
  const InMemoryGrid& grid = trial.grid;
  streams.out << "in memory: " << grid.policies.size() << " policies, "
              << grid.landscapes.size() << " landscapes, " << grid.seeds
              << " campaigns of each\n";
  if (trial.sequential) {
    streams.out << "until each policy is told from " << trial.baseline
                << ", at p (Holm) of "
                << Formatted(trial.sequential->level(), "%.4f") << " a look\n";
  }
  for (const std::int64_t budget : grid.budgets) {
    for (const Part& part : trial.parts) {
      if (part.budget == budget && part.landscape.empty()) {
        PrintTogether(trial, part, streams);
      }
    }
    if (grid.landscapes.size() == 1) continue;
    streams.out << "\n";
    PrintByLandscape(trial, budget, streams);
  }
  if (grid.landscapes.size() > 1 && grid.policies.size() > 1 &&
      !trial.sequential) {
    streams.out << "\n* told apart from " << trial.baseline
                << " on this landscape, after Holm over the policies but not "
                   "over the landscapes\n";
  }
}

void PrintJson(const Trial& trial, Streams& streams) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Part& part : trial.parts) {
    nlohmann::ordered_json one = ComparisonJson(part.comparison);
    one["budget"] = part.budget;
    one["landscape"] = nullptr;
    if (!part.landscape.empty()) one["landscape"] = part.landscape;
    parts.push_back(std::move(one));
  }
  nlohmann::ordered_json document = {
      {"policies", trial.grid.policies}, {"landscapes", trial.grid.landscapes},
      {"seeds", trial.grid.seeds},       {"unit", UnitOf(trial.grid)},
      {"budgets", trial.grid.budgets},   {"baseline", trial.baseline},
      {"parts", std::move(parts)}};
  if (trial.sequential) {
    nlohmann::ordered_json told = nlohmann::ordered_json::array();
    for (const auto& [policy, when] : trial.sequential->told()) {
      const bool is_better = when.finding == lab::Finding::kBetter;
      told.push_back({{"policy", policy},
                      {"finding", is_better ? "better" : "worse"},
                      {"seeds", when.seeds}});
    }
    document["until_told"] = {{"level", trial.sequential->level()},
                              {"told", std::move(told)}};
  }
  PrintDocument(document, streams.out);
}

std::string Csv(const Trial& trial) {
  std::string text =
      "budget,landscape,policy,campaigns,success,fast_1,mean_log_speedup,"
      "mean_low,mean_high,iqm_log_speedup,iqm_low,iqm_high,difference,"
      "difference_low,difference_high,standard_deviation,p,p_holm,"
      "probability_of_improvement,over_tasks,over_tasks_low,over_tasks_high,"
      "over_families,over_families_low,over_families_high\n";
  for (const Part& part : trial.parts) {
    for (const lab::PolicySummary& policy : part.comparison.policies) {
      std::vector<std::string> row = {
          std::to_string(part.budget),
          part.landscape.empty() ? "all" : part.landscape,
          policy.policy,
          std::to_string(policy.campaigns),
          CsvNumber(policy.success),
          CsvNumber(policy.fast_1)};
      AppendFields(policy.log_speedup.mean, row);
      AppendFields(policy.log_speedup.interquartile_mean, row);
      const auto* each = DifferenceOf(part.comparison, policy.policy);
      if (each == nullptr) {
        row.resize(row.size() + 13);
      } else {
        AppendFields(each->log_speedup, row);
        for (const double value :
             {each->standard_deviation, each->p, each->adjusted_p,
              each->probability_of_improvement}) {
          row.push_back(CsvNumber(value));
        }
        AppendFields(each->over_tasks, row);
        AppendFields(each->over_families, row);
      }
      text += CsvLine(row);
    }
  }
  return text;
}

Result<void> WriteCsv(const Trial& trial, const fs::path& directory) {
  std::ofstream file(directory / "in_memory.csv");
  file << Csv(trial);
  file.close();
  if (file) return {};
  return Fail(Errc::kIo,
              (directory / "in_memory.csv").string() + ": cannot be written");
}

// All landscapes together at the last budget, and on the way there.  Single
// campaigns would be too many.
Result<void> Draw(const Trial& trial, const fs::path& directory) {
  ComparisonReport report;
  report.grid.budget.kind = trial.grid.unit == search::BudgetUnit::kAttempts
                                ? engine::BudgetKind::kAttempts
                                : engine::BudgetKind::kEvaluatorSeconds;
  std::vector<std::vector<lab::CurvePoint>> curves(trial.grid.policies.size());
  for (const Part& part : trial.parts) {
    if (!part.landscape.empty()) continue;
    for (std::size_t p = 0; p < curves.size(); ++p) {
      curves[p].push_back({static_cast<double>(part.budget),
                           part.comparison.policies[p].log_speedup});
    }
    report.comparison = part.comparison;
  }
  report.comparison.curves = std::move(curves);
  TRY_DONE(WriteComparisonCsv(report, directory));
  return DrawFigures(directory);
}

// Seeds after which to look: at once, but for --until-told.
Result<std::vector<std::int64_t>> LooksOf(const Invocation& invocation,
                                          Trial& trial) {
  if (!invocation.Has("until-told")) return std::vector{trial.grid.seeds};
  if (trial.grid.budgets.size() > 1 || trial.grid.policies.size() < 2) {
    return Fail(
        Errc::kUsage,
        "--until-told: expected two policies or more, and one --budget");
  }
  auto looks = lab::Looks(kFirstLook, trial.grid.seeds);
  trial.sequential.emplace(looks.size());
  return looks;
}

Result<int> ThreadsOf(const Invocation& invocation) {
  const std::int64_t threads =
      invocation.Count("parallel").value_or(invocation.surroundings.cores);
  if (threads >= 1 && threads <= 256) return static_cast<int>(threads);
  return Fail(Errc::kUsage,
              "--parallel " + std::to_string(threads) + ": expected 1 to 256");
}

}  // namespace

Result<Exit> CompareInMemory(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("report")) {
    return Fail(Errc::kUsage, "--report: is not for --in-memory");
  }
  const engine::LandscapeTasks tasks(invocation.settings().data_directory);
  Trial trial;
  TRY(grid, GridOf(invocation, tasks));
  trial.grid = std::move(grid);
  TRY(laws, LawsOf(trial.grid, tasks));
  TRY(references, tasks.ReferencesOf(trial.grid.landscapes, trial.grid.budgets,
                                     trial.grid.unit));
  TRY(baseline, BaselineAmong(invocation, trial.grid));
  trial.baseline = std::move(baseline);
  TRY(threads, ThreadsOf(invocation));
  TRY(surface, SurfaceOf(invocation, streams.err_is_terminal));
  TRY_DONE(MakeDirectories(invocation));
  int told = -1;  // Per cent.
  const auto tell = [&](double share) {
    const int percent = static_cast<int>(100.0 * share);
    if (surface != engine::Surface::kTerminal || percent == told) return;
    told = percent;
    streams.err << "\r\x1b[K" << percent << " % of the campaigns" << std::flush;
  };
  const auto looks = LooksOf(invocation, trial);
  if (!looks) return tl::unexpected<Error>(looks.error());
  for (const std::int64_t seeds : *looks) {
    trial.grid.seeds = seeds;
    TRY(scores, RunGridInMemory(trial.grid, laws, threads, tell));
    if (told >= 0) streams.err << "\r\x1b[K" << std::flush;
    Compare(scores, references, threads, trial);
    if (IsTold(seeds, trial)) break;
  }
  if (const auto directory = invocation.Text("csv")) {
    TRY_DONE(WriteCsv(trial, *directory));
  }
  if (invocation.Has("json")) {
    PrintJson(trial, streams);
  } else {
    PrintText(trial, streams);
  }
  if (const auto directory = invocation.Text("figures")) {
    TRY_DONE(WriteCsv(trial, *directory));
    TRY_DONE(Draw(trial, *directory));
  }
  return Exit::kDone;
}

}  // namespace coppice::cli
