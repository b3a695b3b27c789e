// coppice compare --in-memory: campaigns on landscapes.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/cli/campaign_options.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/factorial.h"
#include "engine/cli/in_memory_player.h"
#include "engine/cli/in_memory_report.h"
#include "engine/cli/in_memory_words.h"
#include "engine/cli/lists.h"
#include "engine/cli/output.h"
#include "engine/cli/verbs.h"
#include "engine/compare/in_memory_file.h"
#include "engine/compare/share_display.h"
#include "engine/documents/continuing.h"
#include "engine/documents/open_history.h"
#include "engine/factory/landscape_tasks.h"

namespace coppice::cli {
namespace {

using engine::InMemoryGrid;

constexpr std::int64_t kFirstLook = 10;  // Seeds, of --until-told.

// Seeds after which to look: at once, but for --until-told.
Result<std::vector<std::int64_t>> LooksOf(const Invocation& invocation,
                                          InMemoryTrial& trial) {
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

// What the file does not know has to be said again.
std::string ContinueText(const Invocation& invocation,
                         const InMemoryTrial& trial) {
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
  TRY(choice, InMemoryGridOf(invocation, tasks, {}));
  choice.policies = plan.Contenders();
  if (choice.budgets.size() > 1) {
    return Fail(Errc::kUsage, "--factorial: expected one --budget");
  }
  InMemoryGrid final = choice;
  TRY_ASSIGN(final.landscapes, LandscapesOf(invocation, "held-out", tasks, {}));
  TRY_DONE(CheckHeldOut(choice.landscapes, final.landscapes));
  TRY_ASSIGN(final.seeds, HeldOutSeeds(choice.seeds));
  const KeptInMemory nothing{};
  const engine::SystemClock clock;
  InMemoryPlayer player(invocation, tasks, nothing, clock, streams);
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
  ReportFactorial(invocation, report, streams);
  return Exit::kDone;
}

}  // namespace

bool HoldsScoresInMemory(const Invocation& invocation) {
  std::error_code failed;
  if (!std::filesystem::exists(invocation.settings().db, failed)) return false;
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
  TRY(kept, KeptInMemoryOf(invocation));
  InMemoryTrial trial;
  TRY(grid, InMemoryGridOf(invocation, tasks, engine::GridOfSeries(kept.rows)));
  trial.grid = grid;
  if (kept.path) trial.file = kept.path->string();
  const engine::SystemClock clock;
  InMemoryPlayer player(invocation, tasks, kept, clock, streams);
  TRY_DONE(player.Check(grid));
  TRY(wanted, BaselineOf(invocation, grid.policies));
  trial.baseline = wanted.value_or(UsualBaseline(grid.policies));
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
    CompareParts(
        scores, references, threads, [&](double share) { display.Show(share); },
        trial);
    display.Close();
    if (trial.missing > 0 || IsTold(seeds, trial)) break;
  }
  if (const auto directory = invocation.Text("csv")) {
    TRY_DONE(WriteCsv(TrialSheet(trial), *directory));
    TRY_DONE(WriteScores(scores, *directory));
  }
  if (invocation.Has("json")) {
    PrintTrialJson(trial, streams);
  } else {
    PrintTrial(trial, streams);
  }
  if (const auto directory = invocation.Text("figures")) {
    TRY_DONE(WriteCsv(TrialSheet(trial), *directory));
    if (!trial.parts.empty()) TRY_DONE(DrawTrial(trial, *directory));
  }
  if (trial.missing == 0 || invocation.Has("report")) return Exit::kDone;
  if (surface != engine::Surface::kNone) {
    streams.err << "stopped; continue with: " << ContinueText(invocation, trial)
                << "\n";
  }
  return Exit::kInterrupted;
}

}  // namespace coppice::cli
