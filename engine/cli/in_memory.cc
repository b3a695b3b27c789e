#include "engine/cli/in_memory.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/cli/campaigning.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/continuing.h"
#include "engine/cli/csv.h"
#include "engine/cli/document.h"
#include "engine/cli/figures.h"
#include "engine/cli/lists.h"
#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/in_memory_file.h"
#include "engine/in_memory_grid.h"
#include "engine/interrupts.h"
#include "engine/landscape_tasks.h"
#include "engine/outages.h"
#include "engine/share_display.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;
using engine::InMemoryGrid;

constexpr std::int64_t kManySeeds = 2000;
constexpr std::string_view kOneTask = "sim:basic";  // Not drawn by seeds.

// Policies at one budget, on one landscape or on all of them together.
struct Part {
  std::int64_t budget = 0;
  std::string landscape;  // Empty: all.
  lab::Comparison comparison;
};

struct Trial {
  InMemoryGrid grid;
  std::string file;          // In which its scores are kept; empty: in none.
  std::int64_t missing = 0;  // Campaigns that are not played yet.
  std::string baseline;
  std::vector<Part> parts;  // Budget by budget; of each, all together first.
};

Result<std::vector<std::string>> LandscapesOf(
    const Invocation& invocation, const engine::LandscapeTasks& tasks,
    const std::vector<std::string>& file) {
  const std::vector<std::string> every = {"all"};
  TRY(words, GivenList(invocation, "tasks", file.empty() ? every : file,
                       "as in --tasks sim:all"));
  std::vector<std::string> names;
  for (const std::string& word : words) {
    for (const char* all : {"sim:all", "recorded:all"}) {
      if (word != "all" && word != all) continue;
      TRY(some, tasks.NamesOfAll(all));
      std::erase(some, kOneTask);
      names.insert(names.end(), some.begin(), some.end());
    }
    if (word != "all" && word != "sim:all" && word != "recorded:all") {
      names.push_back(word);
    }
  }
  KeepFirsts(names);
  return names;
}

Result<std::vector<std::int64_t>> BudgetsOf(
    const Invocation& invocation, const std::vector<std::int64_t>& file) {
  if (!invocation.Has("budget") && !file.empty()) return file;
  const std::string text = invocation.Text("budget").value_or("30");
  std::vector<std::int64_t> budgets;
  for (const std::string& word : SplitList(text)) {
    std::int64_t budget = 0;
    const char* end = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), end, budget);
    if (error != std::errc() || rest != end || budget < 1 ||
        budget > 1'000'000) {
      return Fail(Errc::kUsage, "--budget " + text +
                                    ": expected whole numbers of attempts, "
                                    "1 to 1000000");
    }
    budgets.push_back(budget);
  }
  if (budgets.empty()) return Fail(Errc::kUsage, "--budget: expected a number");
  std::ranges::sort(budgets);
  KeepFirsts(budgets);
  return budgets;
}

Result<std::vector<std::uint64_t>> ManySeedsOf(
    const Invocation& invocation, const std::vector<std::uint64_t>& file) {
  if (!invocation.Has("seeds") && !file.empty()) return file;
  const std::int64_t count = invocation.Count("seeds").value_or(kManySeeds);
  if (count < 1 || count > 1'000'000) {
    return Fail(Errc::kUsage,
                "--seeds " + std::to_string(count) + ": expected 1 to 1000000");
  }
  std::vector<std::uint64_t> seeds(static_cast<std::size_t>(count));
  std::iota(seeds.begin(), seeds.end(), invocation.settings().seed);
  return seeds;
}

// What the command line says, and the file where it says nothing.
Result<InMemoryGrid> GridOf(const Invocation& invocation,
                            const engine::LandscapeTasks& tasks,
                            const InMemoryGrid& file) {
  InMemoryGrid grid;
  TRY(policies, PoliciesOf(invocation, file.policies));
  grid.policies = std::move(policies);
  TRY(landscapes, LandscapesOf(invocation, tasks, file.landscapes));
  grid.landscapes = std::move(landscapes);
  TRY(budgets, BudgetsOf(invocation, file.budgets));
  grid.budgets = std::move(budgets);
  TRY(seeds, ManySeedsOf(invocation, file.seeds));
  grid.seeds = std::move(seeds);
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

// Resampling takes a while, too: by all threads.  Of what no seed was played by
// all policies yet there is nothing to say.
void Compare(const engine::InMemoryScores& scores, int threads,
             const std::function<void(double share)>& tell, Trial& trial) {
  const std::size_t landscapes = trial.grid.landscapes.size();
  struct Question {
    std::size_t budget;
    std::size_t landscape;
  };
  std::vector<Question> questions;
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
        trial.parts[i].comparison = lab::Compare(own, trial.baseline, {});
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

const lab::Difference* DifferenceOf(const lab::Comparison& comparison,
                                    const std::string& policy) {
  const auto found = std::ranges::find(comparison.differences, policy,
                                       &lab::Difference::policy);
  return found == comparison.differences.end() ? nullptr : &*found;
}

void PrintTogether(const Trial& trial, const Part& part, Streams& streams) {
  streams.out << "\n" << part.budget << " attempts: log speedup";
  if (trial.grid.policies.size() > 1) {
    streams.out << ", and difference from " << trial.baseline << " (95 %)";
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
                             FindingText(*each)});
    }
    table.AddRow(std::move(row));
  }
  table.Print(streams);
  streams.out << IntervalWarning(part.comparison);
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
      if (each == nullptr) continue;  // The baseline itself.
      const bool told = each->finding != lab::Finding::kCannotTell;
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
              << grid.landscapes.size() << " landscapes, " << grid.seeds.size()
              << " campaigns of each"
              << (trial.file.empty() ? "" : " in " + trial.file) << "\n";
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
  if (grid.landscapes.size() > 1 && grid.policies.size() > 1) {
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
  const nlohmann::ordered_json document = {
      {"policies", trial.grid.policies},  {"landscapes", trial.grid.landscapes},
      {"seeds", trial.grid.seeds.size()}, {"budgets", trial.grid.budgets},
      {"missing", trial.missing},         {"baseline", trial.baseline},
      {"parts", std::move(parts)}};
  PrintDocument(document, streams.out);
}

std::string Csv(const Trial& trial) {
  std::string text =
      "budget,landscape,policy,campaigns,success,fast_1,mean_log_speedup,"
      "mean_low,mean_high,iqm_log_speedup,iqm_low,iqm_high,difference,"
      "difference_low,difference_high,standard_deviation,p,p_holm,"
      "probability_of_improvement\n";
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
        row.resize(row.size() + 7);
      } else {
        AppendFields(each->log_speedup, row);
        for (const double value :
             {each->standard_deviation, each->p, each->adjusted_p,
              each->probability_of_improvement}) {
          row.push_back(CsvNumber(value));
        }
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

// Every score that is known: the report can be made again from them.
Result<void> WriteScores(const engine::InMemoryScores& scores,
                         const fs::path& directory) {
  const fs::path path = directory / "in_memory_scores.csv";
  std::ofstream file(path);
  file << "policy,landscape,seed,attempts,solved,log_speedup,compiled,"
          "correct\n";
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
               << ',' << value.compiled << ',' << value.correct << '\n';
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
  report.grid.budget.kind = engine::BudgetKind::kAttempts;
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

Result<int> ThreadsOf(const Invocation& invocation) {
  const std::int64_t threads =
      invocation.Count("parallel").value_or(invocation.surroundings.cores);
  if (threads >= 1 && threads <= 256) return static_cast<int>(threads);
  return Fail(Errc::kUsage,
              "--parallel " + std::to_string(threads) + ": expected 1 to 256");
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
    TRY(rows, store::SeriesScores(database).List());
    kept.rows = std::move(rows);
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

void TellOfOthers(const engine::InMemoryFile& file, const Kept& kept,
                  Streams& streams) {
  for (const std::string& name : file.FindOthers(kept.rows)) {
    streams.err << kept.path->string() << ": also has campaigns on " << name
                << " as it was defined, or played, otherwise; they do not "
                   "count here\n";
  }
}

// Plays what is missing.
struct Player {
  const Invocation& invocation;
  const engine::LandscapeTasks& tasks;
  int threads;
  const engine::Clock& clock;
  engine::ShareDisplay& display;

  Result<void> Play(const std::vector<search::TaskLaw>& laws,
                    const std::atomic<bool>& draining,
                    engine::InMemoryFile* file,
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
    auto played = PlayInMemory(laws, threads, draining, scores, tell);
    display.Close();
    if (!played || file == nullptr) return played;
    return file->Flush();
  }

  // What the file holds in the end are the scores.
  Result<engine::InMemoryScores> PlayInto(
      const Kept& kept, const InMemoryGrid& grid,
      const std::vector<search::TaskLaw>& laws, Streams& streams) const {
    std::vector<store::Digest> definitions;
    for (const std::string& landscape : grid.landscapes) {
      TRY(definition, tasks.DefinitionOf(landscape));
      definitions.push_back(store::Sha256(definition));
    }
    const std::atomic<bool>& draining = engine::WatchInterrupts();
    engine::SystemTimer timer(clock);
    engine::Outages outages(timer, draining);
    const engine::Outages::Listener listener(
        outages, [&streams](const engine::Outage& outage) {
          streams.err << engine::OutageText(outage) << std::endl;
        });
    TRY(database, OpenToWrite(invocation, listener, store::Access::kCreate));
    TRY(file, engine::InMemoryFile::Enter(database, grid, definitions, clock));
    TellOfOthers(file, kept, streams);
    engine::InMemoryScores scores(grid);
    TRY_DONE(file.Load(scores));
    TRY_DONE(Play(laws, draining, &file, scores));
    TRY_DONE(file.Load(scores));
    engine::LeaveInterrupts();  // What follows is made again from the file.
    return scores;
  }
};

}  // namespace

bool HoldsScoresInMemory(const Invocation& invocation) {
  std::error_code failed;
  if (!fs::exists(invocation.settings().db, failed)) return false;
  auto database = OpenToLook(invocation);
  if (!database) return false;
  const auto rows = store::SeriesScores(*database).List();
  return rows && !rows->empty();
}

Result<Exit> CompareInMemory(const Invocation& given, Streams& streams) {
  if (given.Has("budget-kind")) {
    return Fail(Errc::kUsage, "--budget-kind: is not for --in-memory");
  }
  Invocation invocation = given;
  if (!given.arguments.empty()) {
    invocation.config.settings.db = given.arguments.front();
  }
  const engine::LandscapeTasks tasks(invocation.settings().data_directory);
  TRY(kept, KeptOf(invocation));
  Trial trial;
  TRY(grid, GridOf(invocation, tasks, engine::GridOfSeries(kept.rows)));
  trial.grid = std::move(grid);
  if (kept.path) trial.file = kept.path->string();
  TRY(baseline, BaselineAmong(invocation, trial.grid));
  trial.baseline = std::move(baseline);
  TRY(threads, ThreadsOf(invocation));
  TRY(surface, SurfaceOf(invocation, streams.err_is_terminal));
  TRY_DONE(MakeDirectories(invocation));
  const engine::SystemClock clock;
  engine::ShareDisplay display(streams.err, surface, clock,
                               streams.err_columns);
  const Player player{invocation, tasks, threads, clock, display};
  engine::InMemoryScores scores(trial.grid);
  if (invocation.Has("report")) {
    TRY(database, OpenToLook(invocation));
    auto file =
        engine::InMemoryFile::Find(database, trial.grid, kept.rows, clock);
    TellOfOthers(file, kept, streams);
    TRY_DONE(file.Load(scores));
  } else {
    TRY_DONE(engine::CheckInMemory(trial.grid.policies));
    TRY(laws, LawsOf(trial.grid, tasks));
    if (kept.path) {
      TRY(played, player.PlayInto(kept, trial.grid, laws, streams));
      scores = std::move(played);
    } else {
      const std::atomic<bool> never{false};
      TRY_DONE(player.Play(laws, never, nullptr, scores));
    }
  }
  trial.missing = scores.CountMissing();
  display.Begin("the comparisons", 0.0);
  Compare(
      scores, threads, [&](double share) { display.Show(share); }, trial);
  display.Close();
  if (const auto directory = invocation.Text("csv")) {
    TRY_DONE(WriteCsv(trial, *directory));
    TRY_DONE(WriteScores(scores, *directory));
  }
  if (invocation.Has("json")) {
    PrintJson(trial, streams);
  } else {
    PrintText(trial, streams);
  }
  if (const auto directory = invocation.Text("figures")) {
    TRY_DONE(WriteCsv(trial, *directory));
    if (!trial.parts.empty()) TRY_DONE(Draw(trial, *directory));
  }
  if (trial.missing == 0 || invocation.Has("report")) return Exit::kDone;
  if (surface != engine::Surface::kNone) {
    streams.err << "stopped; continue with: coppice compare "
                << ShellWord(trial.file) << " --in-memory\n";
  }
  return Exit::kInterrupted;
}

}  // namespace coppice::cli
