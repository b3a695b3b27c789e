// coppice compare --factorial: campaigns of a file that choose, and others that
// judge what was chosen.
#include <ostream>
#include <utility>

#include "engine/cli/compare_check.h"
#include "engine/cli/compare_grid.h"
#include "engine/cli/compare_run.h"
#include "engine/cli/factorial.h"
#include "engine/cli/open_factory.h"
#include "engine/compare/score.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/landscape_tasks.h"

namespace coppice::cli {
namespace {

using engine::Grid;

// Attempts and tokens are no money.
Result<Grid> MoneyOf(const Invocation& invocation) {
  const bool costs = CountsTokens(invocation.settings());
  const std::string text =
      invocation.Text("budget-kind")
          .value_or(costs ? "dollars" : "evaluator_seconds");
  if (text != "dollars" && text != "evaluator_seconds") {
    return Fail(Errc::kUsage,
                "--budget-kind " + text +
                    ": --factorial is at equal money: dollars, or "
                    "evaluator_seconds where agents cost nothing");
  }
  Grid grid;
  TRY_ASSIGN(grid.budget.kind, engine::ParseBudgetKind(text));
  return grid;
}

Result<void> MustCostTime(const std::vector<std::string>& tasks) {
  for (const std::string& task : tasks) {
    if (!engine::LandscapeTasks::IsOne(task)) continue;
    return Fail(Errc::kUsage, "--factorial: judging " + task +
                                  " costs nothing; compare with --in-memory, "
                                  "by calls");
  }
  return {};
}

// Plays, unless it is for a report, and reads.
struct Played {
  Exit exit = Exit::kDone;
  engine::Scores scores;
};
Result<Played> PlayGrid(const Invocation& invocation, const Grid& grid,
                        Streams& streams) {
  Played played;
  if (!invocation.Has("report")) {
    TRY(rows, ComparedRows(invocation));
    TRY_ASSIGN(played.exit, RunGrid(invocation, grid, rows, streams));
  }
  TRY_ASSIGN(played.scores, ScoresOf(invocation, grid, streams));
  return played;
}

// Before the choice is run.
Result<void> CheckFinal(const Invocation& invocation, const Grid& grid,
                        Streams& streams) {
  TRY(rows, ComparedRows(invocation));
  TRY(settled, SettledFor(grid, invocation, rows));
  TRY(factory, OpenFactory(settled));
  return CheckGrid(grid, settled, rows, *factory, streams.err);
}

}  // namespace

// The cells and samplings on the tasks to choose by, and then what was chosen
// beside the samplings on the others.
Result<Exit> CompareFactorial(const Invocation& invocation, Streams& streams) {
  TRY(plan, PlanFactorial(invocation, false));
  TRY(money, MoneyOf(invocation));
  TRY(naming, OpenFactory(invocation));
  TRY(choice, GridOf(invocation, *naming, money));
  choice.policies = plan.Contenders();
  Grid final = choice;
  final.held_out = true;
  TRY_ASSIGN(final.tasks, ComparedTasks(invocation, "held-out", *naming, {}));
  TRY_DONE(CheckHeldOut(choice.tasks, final.tasks));
  TRY_ASSIGN(final.seeds, HeldOutSeeds(choice.seeds));
  TRY_DONE(MustCostTime(choice.tasks));
  TRY_DONE(MustCostTime(final.tasks));
  if (!invocation.Has("report")) {
    TRY_DONE(CheckFinal(invocation, final, streams));
  }
  TRY(choosing, PlayGrid(invocation, choice, streams));
  FactorialReport report{plan,
                         Describe(choice.budget),
                         choice.tasks,
                         final.tasks,
                         choice.seeds.size(),
                         choosing.scores.missing.size(),
                         lab::Analyse(plan.design, choosing.scores.scores),
                         {}};
  Exit exit = choosing.exit;
  if (report.missing == 0) {
    const std::string& chosen = report.choice.best();
    final.policies = plan.Finalists(chosen);
    TRY(judging, PlayGrid(invocation, final, streams));
    exit = judging.exit;
    report.missing = judging.scores.missing.size();
    if (report.missing == 0) {
      report.final =
          CompareFinal(plan, chosen, std::move(judging.scores.scores), {});
    }
  }
  ReportFactorial(invocation, report, streams);
  return exit;
}

}  // namespace coppice::cli
