// coppice compare --in-memory: campaigns on landscapes.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/factorial.h"
#include "engine/cli/figures.h"
#include "engine/cli/lists.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/compare/in_memory_file.h"
#include "engine/compare/in_memory_grid.h"
#include "engine/compare/share_display.h"
#include "engine/documents/continuing.h"
#include "engine/documents/csv.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/lab/sequential.h"
#include "engine/process/interrupts.h"
#include "engine/process/system_timer.h"
#include "store/records/formatted.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
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
  std::string file;          // In which its scores are kept; empty: in none.
  std::int64_t missing = 0;  // Campaigns that are not played yet.
  std::string baseline;
  std::vector<Part> parts;  // Budget by budget; of each, all together first.
};

// `option` is --tasks or --held-out.
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

// What budgets are of, in words.
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
  return CountedSeeds(invocation, 1'000'000, kManySeeds);
}

// What the command line says, and the file where it says nothing.
Result<InMemoryGrid> GridOf(const Invocation& invocation,
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

Result<std::vector<search::TaskLaw>> LawsOf(
    const InMemoryGrid& grid, const engine::LandscapeTasks& tasks) {
  std::vector<search::TaskLaw> laws;
  for (const std::string& name : grid.landscapes) {
    if (!engine::LandscapeTasks::IsOne(name)) {
      return Fail(Errc::kUsage,
                  name +
                      ": is no landscape, as those are whose "
                      "names begin with sim:, recorded: or fitted:");
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

// Resampling takes a while, too: by all threads.  There is nothing to say where
// no seed was played by all policies yet.
void Compare(const engine::InMemoryScores& scores,
             const std::vector<lab::References>& references, int threads,
             const std::function<void(double share)>& tell, Trial& trial) {
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
  std::mutex mutex;  // Guards tell and
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < questions.size(); i = next++) {
      const std::vector<lab::Score> own =
          scores.ScoresOf(questions[i].budget, questions[i].landscape);
      if (!own.empty()) {
        trial.parts[i].comparison = lab::Compare(
            own, trial.baseline, {}, references[questions[i].budget]);
      }
      const std::lock_guard lock(mutex);
      tell(static_cast<double>(++done) / static_cast<double>(questions.size()));
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  std::erase_if(trial.parts, [](const Part& part) {
    return part.comparison.policies.empty();
  });
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
  return std::string(NameOf(told->second.finding)) + ", told after " +
         std::to_string(told->second.seeds);
}

void PrintTogether(const Trial& trial, const Part& part, Streams& streams) {
  streams.out << "\n"
              << part.budget << " " << UnitOf(trial.grid) << ": log speedup";
  if (trial.grid.policies.size() > 1) {
    streams.out << ", and difference from " << OneLine(trial.baseline)
                << " (95 % over seeds of these landscapes)";
  }
  streams.out << "\n";
  Table table({"policy", "mean", "interquartile mean", "difference",
               Right("p (Holm)"), Right("P(better)"), "finding"});
  for (const lab::PolicySummary& policy : part.comparison.policies) {
    std::vector<std::string> row = {
        policy.policy, Ranged(policy.log_speedup.mean, "%.3f"),
        Ranged(policy.log_speedup.interquartile_mean, "%.3f")};
    const lab::Difference* each = part.comparison.FindDifference(policy.policy);
    if (each == nullptr) {
      row.insert(row.end(), {"", "", "", ""});
    } else {
      row.insert(
          row.end(),
          {Ranged(each->log_speedup, "%+.3f"),
           Formatted("%.4f", each->adjusted_p),
           Formatted("%.0f %%", 100.0 * each->probability_of_improvement),
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
  std::vector<Column> columns = {"by landscape", Right(trial.baseline)};
  for (const std::string& policy : trial.grid.policies) {
    if (policy != trial.baseline) columns.push_back(Right(policy));
  }
  Table table(std::move(columns));
  for (const Part& part : trial.parts) {
    if (part.budget != budget || part.landscape.empty()) continue;
    const auto base = std::ranges::find(
        part.comparison.policies, trial.baseline, &lab::PolicySummary::policy);
    std::vector<std::string> row = {
        part.landscape, Formatted("%.3f ", base->log_speedup.mean.value)};
    for (const std::string& policy : trial.grid.policies) {
      const lab::Difference* each = part.comparison.FindDifference(policy);
      if (each == nullptr) continue;  // The baseline itself.
      const bool told = !trial.sequential &&
                        each->finding != lab::DifferenceSign::kCannotTell;
      row.push_back(Formatted("%+.3f", each->log_speedup.value) +
                    (told ? "*" : " "));
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
}

void PrintText(const Trial& trial, Streams& streams) {
  const InMemoryGrid& grid = trial.grid;
  streams.out << "in memory: " << grid.policies.size() << " policies, "
              << grid.landscapes.size() << " landscapes, " << grid.seeds.size()
              << " campaigns of each"
              << (trial.file.empty() ? "" : " in " + trial.file) << "\n";
  if (trial.sequential) {
    streams.out << "until each policy is told from " << OneLine(trial.baseline)
                << ", at p (Holm) of "
                << Formatted("%.4f", trial.sequential->level()) << " a look\n";
  }
  if (trial.missing > 0) {
    const std::size_t all =
        grid.policies.size() * grid.landscapes.size() * grid.seeds.size();
    streams.out << trial.missing << " of " << all
                << " campaigns are not played yet; what counts are seeds that "
                   "all policies have played\n";
  }
  if (trial.parts.empty()) return;
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
    streams.out << "\n* told apart from " << OneLine(trial.baseline)
                << " on this landscape, after Holm over the policies but not "
                   "over the landscapes\n";
  }
}

Json PartJson(const Part& part) {
  Json json = ComparisonJson(part.comparison);
  json["budget"] = part.budget;
  json["landscape"] = TextOrNull(part.landscape);
  return json;
}

void PrintJson(const Trial& trial, Streams& streams) {
  Json document = {{"policies", trial.grid.policies},
                   {"landscapes", trial.grid.landscapes},
                   {"seeds", trial.grid.seeds.size()},
                   {"unit", UnitOf(trial.grid)},
                   {"budgets", trial.grid.budgets},
                   {"missing", trial.missing},
                   {"baseline", trial.baseline},
                   {"parts", ArrayOf(trial.parts, PartJson)}};
  if (trial.sequential) {
    RowSheet told{"told", {"policy", "finding", "seeds"}};
    for (const auto& [policy, when] : trial.sequential->told()) {
      told.rows.push_back({policy, NameOf(when.finding), when.seeds});
    }
    document["until_told"] = {{"level", trial.sequential->level()},
                              {"told", RowsJson(told)}};
  }
  PrintDocument(document, streams.out);
}

RowSheet SheetOf(const Trial& trial) {
  RowSheet sheet{"in_memory",
                 {"budget",
                  "landscape",
                  "policy",
                  "campaigns",
                  "success",
                  "fast_1",
                  "mean_log_speedup",
                  "mean_low",
                  "mean_high",
                  "iqm_log_speedup",
                  "iqm_low",
                  "iqm_high",
                  "difference",
                  "difference_low",
                  "difference_high",
                  "standard_deviation",
                  "p",
                  "p_holm",
                  "probability_of_improvement",
                  "over_tasks",
                  "over_tasks_low",
                  "over_tasks_high",
                  "over_families",
                  "over_families_low",
                  "over_families_high"}};
  for (const Part& part : trial.parts) {
    for (const lab::PolicySummary& policy : part.comparison.policies) {
      sheet.rows.push_back(
          {part.budget, part.landscape.empty() ? "all" : part.landscape,
           policy.policy, policy.campaigns, policy.success, policy.fast_1});
      std::vector<Json>& row = sheet.rows.back();
      AppendCells(policy.log_speedup.mean, row);
      AppendCells(policy.log_speedup.interquartile_mean, row);
      if (const auto* each = part.comparison.FindDifference(policy.policy)) {
        AppendCells(each->log_speedup, row);
        row.insert(row.end(),
                   {each->standard_deviation, each->p, each->adjusted_p,
                    each->probability_of_improvement});
        AppendCells(each->over_tasks, row);
        AppendCells(each->over_families, row);
      }
      row.resize(sheet.columns.size());
    }
  }
  return sheet;
}

// Every score that is known: the report can be made again from them.
Result<void> WriteScores(const engine::InMemoryScores& scores,
                         const fs::path& directory) {
  const fs::path path = directory / "in_memory_scores.csv";
  std::ofstream file(path);
  file << "policy,landscape,seed,budget,solved,log_speedup,attempts,"
          "compiled,correct\n";
  const InMemoryGrid& grid = scores.grid();
  engine::InMemoryScores::Place at;
  for (at.policy = 0; at.policy < grid.policies.size(); ++at.policy) {
    for (at.landscape = 0; at.landscape < grid.landscapes.size();
         ++at.landscape) {
      const std::string first = CsvLine(
          {grid.policies[at.policy], grid.landscapes[at.landscape], ""});
      for (at.seed = 0; at.seed < grid.seeds.size(); ++at.seed) {
        for (at.budget = 0; at.budget < grid.budgets.size(); ++at.budget) {
          const engine::InMemoryScores::Value& value = scores.At(at);
          if (!value.known) continue;
          file << std::string_view(first).substr(0, first.size() - 1)
               << grid.seeds[at.seed] << ',' << grid.budgets[at.budget] << ','
               << (value.solved ? 1 : 0) << ',' << CsvNumber(value.log_speedup)
               << ',' << value.attempts << ',' << value.compiled << ','
               << value.correct << '\n';
        }
      }
    }
  }
  file.close();
  if (file) return {};
  return Fail(Errc::kIo, path.string() + ": cannot be written");
}

// All landscapes together at the last budget, and on the way there.  Single
// campaigns would be too many.
Result<void> Draw(const Trial& trial, const fs::path& directory) {
  ComparisonReport report;
  report.grid.budget.kind =
      trial.grid.unit == search::BudgetUnit::kEvaluatorSeconds
          ? engine::BudgetKind::kEvaluatorSeconds
          : engine::BudgetKind::kAttempts;
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

// The file that is named, and what it holds.
struct Kept {
  std::optional<fs::path> path;
  std::vector<store::SeriesRow> rows;
};

Result<Kept> KeptOf(const Invocation& invocation) {
  Kept kept;
  if (invocation.arguments.empty()) {
    if (!invocation.Has("report")) return kept;
    return Fail(Errc::kUsage,
                "--report: say of which file: coppice compare "
                "FILE --in-memory --report");
  }
  kept.path = invocation.settings().db;
  std::error_code failed;
  if (fs::exists(*kept.path, failed)) {
    TRY(database, OpenToLook(invocation));
    TRY_ASSIGN(kept.rows, store::SeriesScores(database).List());
  }
  if (kept.rows.empty() && invocation.Has("report")) {
    return Fail(Errc::kUsage,
                kept.path->string() +
                    ": holds no campaigns in memory; start some: coppice "
                    "compare FILE --in-memory --policies stark,greedy --tasks "
                    "sim:all");
  }
  return kept;
}

// Seeds after which to look: at once, but for --until-told.
Result<std::vector<std::int64_t>> LooksOf(const Invocation& invocation,
                                          Trial& trial) {
  const auto seeds = static_cast<std::int64_t>(trial.grid.seeds.size());
  if (!invocation.Has("until-told")) return std::vector{seeds};
  if (trial.grid.budgets.size() > 1 || trial.grid.policies.size() < 2) {
    return Fail(
        Errc::kUsage,
        "--until-told: expected two policies or more, and one --budget");
  }
  auto looks = lab::Looks(kFirstLook, seeds);
  trial.sequential.emplace(looks.size());
  return looks;
}

// Brings the scores of a grid: those that are kept, and unless it is for a
// report those that are played.  More than one grid if there are looks.
class Player {
 public:
  Player(const Invocation& invocation, const engine::LandscapeTasks& tasks,
         const Kept& kept, const engine::Clock& clock, Streams& streams)
      : invocation_(invocation),
        tasks_(tasks),
        kept_(kept),
        clock_(clock),
        streams_(streams) {}

  // What is wrong, before anything is made.
  Result<void> Check(const InMemoryGrid& grid) {
    if (invocation_.Has("report")) return {};
    TRY_DONE(engine::CheckInMemory(grid.policies));
    TRY_ASSIGN(laws_, LawsOf(grid, tasks_));
    return {};
  }

  // Uses the landscapes as they were played on, since those that are here by
  // now may be others.
  Result<std::vector<lab::References>> References(const InMemoryGrid& grid) {
    std::vector<std::string> known = grid.landscapes;
    if (invocation_.Has("report")) {
      TRY(database, OpenToLook(invocation_));
      const auto file =
          engine::InMemoryFile::Find(database, grid, kept_.rows, clock_);
      std::erase_if(known, [&](const std::string& name) {
        const auto definition = tasks_.DefinitionOf(name);
        if (definition && !file.IsByOther(name, store::Sha256(*definition))) {
          return false;
        }
        streams_.err << OneLine(name)
                     << ": is not here as it was played on, so nothing is "
                        "told by its fastest kernel\n";
        return true;
      });
    }
    return tasks_.ReferencesOf(known, grid.budgets, grid.unit);
  }

  Result<engine::InMemoryScores> Scores(const InMemoryGrid& grid, int threads,
                                        engine::ShareDisplay& display) {
    engine::InMemoryScores scores(grid);
    if (invocation_.Has("report")) {
      TRY(database, OpenToLook(invocation_));
      auto file =
          engine::InMemoryFile::Find(database, grid, kept_.rows, clock_);
      TellOfOthers(file);
      TRY_DONE(file.Load(scores));
    } else if (kept_.path) {
      TRY_DONE(PlayInto(threads, display, scores));
    } else {
      const std::atomic<bool> never{false};
      TRY_DONE(Play(threads, never, nullptr, display, scores));
    }
    return scores;
  }

 private:
  void TellOfOthers(const engine::InMemoryFile& file) {
    if (std::exchange(is_told_, true)) return;
    for (const std::string& name : file.FindOthers(kept_.rows)) {
      streams_.err << OneLine(kept_.path->string() +
                              ": also has campaigns on " + name)
                   << " as it was defined, or played, otherwise; they do not "
                      "count here\n";
    }
  }

  Result<void> Play(int threads, const std::atomic<bool>& draining,
                    engine::InMemoryFile* file, engine::ShareDisplay& display,
                    engine::InMemoryScores& scores) const {
    const InMemoryGrid& grid = scores.grid();
    const std::size_t all =
        grid.policies.size() * grid.landscapes.size() * grid.seeds.size();
    display.Begin("the campaigns",
                  1.0 - static_cast<double>(scores.CountMissing()) /
                            static_cast<double>(all));
    const auto tell = [&](const engine::PlayedInMemory& played) {
      display.Show(played.share);
      return file == nullptr ? Result<void>() : file->Keep(scores, played);
    };
    auto played = PlayInMemory(laws_, threads, draining, scores, tell);
    display.Close();
    if (!played || file == nullptr) return played;
    return file->Flush();
  }

  // What the file holds in the end are the scores.
  Result<void> PlayInto(int threads, engine::ShareDisplay& display,
                        engine::InMemoryScores& scores) {
    const InMemoryGrid& grid = scores.grid();
    std::vector<store::Digest> definitions;
    for (const std::string& landscape : grid.landscapes) {
      TRY(definition, tasks_.DefinitionOf(landscape));
      definitions.push_back(store::Sha256(definition));
    }
    const std::atomic<bool>& draining = engine::WatchInterrupts();
    engine::SystemTimer timer(clock_);
    engine::Outages outages(timer, draining);
    const engine::OutageListener listener(
        outages, [&](const engine::Outage& outage) {
          streams_.err << OneLine(engine::OutageText(outage)) << std::endl;
        });
    TRY(database, OpenToWrite(invocation_, listener, store::Access::kCreate));
    TRY(file, engine::InMemoryFile::Enter(database, grid, definitions, clock_));
    TellOfOthers(file);
    TRY_DONE(file.Load(scores));
    TRY_DONE(Play(threads, draining, &file, display, scores));
    TRY_DONE(file.Load(scores));
    engine::LeaveInterrupts();  // What follows is made again from the file.
    return {};
  }

  const Invocation& invocation_;
  const engine::LandscapeTasks& tasks_;
  const Kept& kept_;
  const engine::Clock& clock_;
  Streams& streams_;
  std::vector<search::TaskLaw> laws_;
  bool is_told_ = false;  // What TellOfOthers says.
};

// What the file does not know has to be said again.
std::string ContinueText(const Invocation& invocation, const Trial& trial) {
  std::string text =
      "coppice compare " + ShellWord(trial.file) + " --in-memory";
  if (const auto baseline = invocation.Text("baseline")) {
    text += " --baseline " + ShellWord(*baseline);
  }
  if (!invocation.Has("until-told")) return text;
  return text + " --until-told --seed " +
         std::to_string(invocation.settings().seed) + " --seeds " +
         std::to_string(invocation.Count("seeds").value_or(kManySeeds));
}

// The cells and samplings on landscapes to choose by, and then what was chosen
// beside the samplings on others.
Result<Exit> FactorialInMemory(const Invocation& invocation, Streams& streams) {
  TRY(plan, PlanFactorial(invocation, true));
  if (invocation.Has("report")) {
    return Fail(Errc::kUsage,
                "--report: --factorial keeps nothing in memory to report on");
  }
  const engine::LandscapeTasks tasks(invocation.settings().data_directory);
  TRY(choice, GridOf(invocation, tasks, {}));
  choice.policies = plan.Contenders();
  if (choice.budgets.size() > 1) {
    return Fail(Errc::kUsage, "--factorial: expected one --budget");
  }
  InMemoryGrid final = choice;
  TRY_ASSIGN(final.landscapes, LandscapesOf(invocation, "held-out", tasks, {}));
  TRY_DONE(CheckHeldOut(choice.landscapes, final.landscapes));
  TRY_ASSIGN(final.seeds, HeldOutSeeds(choice.seeds));
  const Kept nothing;
  const engine::SystemClock clock;
  Player player(invocation, tasks, nothing, clock, streams);
  TRY_DONE(player.Check(final));
  TRY_DONE(player.Check(choice));
  TRY(threads, ThreadsOf(invocation, invocation.surroundings.cores));
  TRY(surface, TextSurfaceOf(invocation, streams.err_is_terminal));
  engine::ShareDisplay display(streams.err, surface, clock,
                               streams.err_columns);
  FactorialReport report{
      plan,
      std::to_string(choice.budgets.front()) + " " + UnitOf(choice),
      choice.landscapes,
      final.landscapes,
      choice.seeds.size(),
      0,
      {},
      {}};
  const auto scores_of = [&](const InMemoryGrid& grid) {
    return player.Scores(grid, threads, display)
        .map([&](const engine::InMemoryScores& scores) {
          return scores.ScoresOf(0, grid.landscapes.size());
        });
  };
  TRY(choosing, scores_of(choice));
  report.choice = lab::Analyse(plan.design, choosing);
  final.policies = plan.Finalists(report.choice.best());
  TRY_DONE(player.Check(final));
  TRY(references, player.References(final));
  TRY(judging, scores_of(final));
  report.final = CompareFinal(plan, report.choice.best(), std::move(judging),
                              references.front());
  if (invocation.Has("json")) {
    PrintFactorialJson(report, streams);
  } else {
    PrintFactorial(report, streams);
  }
  return Exit::kDone;
}

}  // namespace

bool HoldsScoresInMemory(const Invocation& invocation) {
  std::error_code failed;
  if (!fs::exists(invocation.settings().db, failed)) return false;
  auto database = OpenToLook(invocation);
  if (!database) return false;
  const auto rows = store::SeriesScores(*database).List();
  return rows && !rows->empty();
}

Result<Exit> CompareInMemory(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("factorial")) {
    return FactorialInMemory(invocation, streams);
  }
  const engine::LandscapeTasks tasks(invocation.settings().data_directory);
  TRY(kept, KeptOf(invocation));
  Trial trial;
  TRY(grid, GridOf(invocation, tasks, engine::GridOfSeries(kept.rows)));
  trial.grid = grid;
  if (kept.path) trial.file = kept.path->string();
  const engine::SystemClock clock;
  Player player(invocation, tasks, kept, clock, streams);
  TRY_DONE(player.Check(grid));
  TRY_ASSIGN(trial.baseline, BaselineAmong(invocation, grid));
  TRY(threads, ThreadsOf(invocation, invocation.surroundings.cores));
  TRY(looks, LooksOf(invocation, trial));
  TRY(surface, TextSurfaceOf(invocation, streams.err_is_terminal));
  TRY(references, player.References(grid));
  TRY_DONE(MakeDirectories(invocation));
  engine::ShareDisplay display(streams.err, surface, clock,
                               streams.err_columns);
  engine::InMemoryScores scores({});
  for (const std::int64_t seeds : looks) {
    trial.grid.seeds.assign(grid.seeds.begin(), grid.seeds.begin() + seeds);
    TRY_ASSIGN(scores, player.Scores(trial.grid, threads, display));
    trial.missing = scores.CountMissing();
    display.Begin("the comparisons", 0.0);
    Compare(
        scores, references, threads, [&](double share) { display.Show(share); },
        trial);
    display.Close();
    if (trial.missing > 0 || IsTold(seeds, trial)) break;
  }
  if (const auto directory = invocation.Text("csv")) {
    TRY_DONE(WriteCsv(SheetOf(trial), *directory));
    TRY_DONE(WriteScores(scores, *directory));
  }
  if (invocation.Has("json")) {
    PrintJson(trial, streams);
  } else {
    PrintText(trial, streams);
  }
  if (const auto directory = invocation.Text("figures")) {
    TRY_DONE(WriteCsv(SheetOf(trial), *directory));
    if (!trial.parts.empty()) TRY_DONE(Draw(trial, *directory));
  }
  if (trial.missing == 0 || invocation.Has("report")) return Exit::kDone;
  if (surface != engine::Surface::kNone) {
    streams.err << "stopped; continue with: " << ContinueText(invocation, trial)
                << "\n";
  }
  return Exit::kInterrupted;
}

}  // namespace coppice::cli
