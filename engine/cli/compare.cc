// coppice compare: policies x tasks x seeds at equal budget.
#include <algorithm>
#include <optional>
#include <ostream>
#include <utility>

#include "config/keys.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/compare_grid.h"
#include "engine/cli/compare_run.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/figures.h"
#include "engine/cli/lists.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/screening.h"
#include "engine/cli/verbs.h"
#include "engine/compare/score.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/landscape_tasks.h"
#include "search/landscapes/budget_unit.h"

namespace coppice::cli {
namespace {

using engine::Grid;

// The one wanted, if it has a score; else stark, else the first that has, and
// says so.
std::string BaselineAmong(const std::vector<lab::Score>& scores,
                          const std::optional<std::string>& wanted,
                          Streams& streams) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(scores, name, &lab::Score::policy) != scores.end();
  };
  if (wanted && has(*wanted)) return *wanted;
  if (scores.empty()) return "";
  std::vector<std::string> policies;
  for (const lab::Score& score : scores) policies.push_back(score.policy);
  std::string other = UsualBaseline(policies);
  if (wanted) {
    streams.err << "--baseline " << OneLine(*wanted)
                << ": no campaign of it is at the end of its budget; the "
                   "baseline is "
                << OneLine(other) << "\n";
  }
  return other;
}

Result<ComparisonReport> ReportOn(const Invocation& invocation,
                                  const Grid& grid, Streams& streams) {
  TRY(read, ScoresOf(invocation, grid, streams));
  ComparisonReport report{invocation.settings().db.string(),
                          grid,
                          std::move(read.scores),
                          std::move(read.missing),
                          {}};
  const bool is_whole = grid.budget.kind == engine::BudgetKind::kAttempts;
  lab::References references;
  if (is_whole) {
    const engine::LandscapeTasks tasks(invocation.settings().data_directory);
    TRY(known, tasks.ReferencesOf(
                   grid.tasks, {static_cast<std::int64_t>(grid.budget.amount)},
                   search::BudgetUnit::kAttempts));
    references = std::move(known.front());
  }
  TRY(wanted, BaselineOf(invocation, grid.policies));
  report.comparison = lab::Compare(
      report.scores, BaselineAmong(report.scores, wanted, streams),
      lab::Checkpoints(grid.budget.amount,
                       is_whole ? lab::Unit::kWhole : lab::Unit::kReal),
      references);
  return report;
}

Result<void> Show(const Invocation& invocation, const ComparisonReport& report,
                  Streams& streams) {
  for (const char* option : {"csv", "figures"}) {
    const auto directory = invocation.Text(option);
    if (!directory) continue;
    TRY_DONE(WriteComparisonCsv(report, *directory));
  }
  if (invocation.Has("json")) {
    PrintComparisonJson(report, streams);
  } else {
    PrintComparison(report, streams);
  }
  const auto directory = invocation.Text("figures");
  if (!directory || report.scores.empty()) return {};
  return DrawFigures(*directory);
}

// Only a file is named, and what it has to compare was played in memory.
bool IsOfMemory(const Invocation& invocation) {
  if (invocation.Has("policies") || invocation.Has("tasks")) return false;
  if (!HoldsScoresInMemory(invocation)) return false;
  const auto rows = ComparedRows(invocation);
  return rows && !engine::FindGrid(*rows, std::nullopt);
}

Result<Exit> RunCompare(const Invocation& invocation, Streams& streams) {
  if (!invocation.Has("factorial")) {
    TRY_DONE(invocation.MustNotHave({"held-out"}, "is for --factorial"));
  }
  if (invocation.Has("in-memory")) return CompareInMemory(invocation, streams);
  if (invocation.Has("factorial")) return CompareFactorial(invocation, streams);
  if (IsOfMemory(invocation)) return CompareInMemory(invocation, streams);
  TRY_DONE(invocation.MustNotHave({"until-told"}, "is for --in-memory"));
  TRY(rows, ComparedRows(invocation));
  TRY(of_file, GridOfFile(invocation, rows));
  TRY(naming, OpenFactory(invocation));
  TRY(grid, GridOf(invocation, *naming, of_file));
  TRY_DONE(BaselineOf(invocation, grid.policies).map([](const auto&) {}));
  TRY_DONE(MakeDirectories(invocation));
  Exit exit = Exit::kDone;
  if (!invocation.Has("report")) {
    TRY_ASSIGN(exit, RunGrid(invocation, grid, rows, streams));
  }
  TRY(report, ReportOn(invocation, grid, streams));
  TRY_DONE(Show(invocation, report, streams));
  return exit;
}

}  // namespace

Verb CompareVerb() {
  std::vector<Option> options = CampaignOptions();
  options.insert(
      options.begin(),
      {{"policies", Takes::kText, "POLICY,...",
        "those, or all; NAME.alone: without plans; NAME:CONSTANT=VALUE,...; "
        "NAME@KEY=VALUE,...: with settings of its own"},
       {"vary", Takes::kText, "KEY=VALUE,...",
        "each of the policies with each of these values of agents, or of a "
        "setting of models, prompts or memory"},
       {"prompts", Takes::kText, "VERSION,...",
        "each of the policies with each of these templates of prompts: v1, v2 "
        "or folders; --vary prompts=VERSION,..."},
       {"tasks", Takes::kText, "TASK,...",
        "those; cpu:level1, cpu:foreign, sim:all, recorded:test are many"},
       {"seeds", Takes::kCount, "N",
        "of each, from --seed up (5; in memory 2000)"},
       {"budget", Takes::kText, "AMOUNT", "of each campaign (30)"},
       {"budget-kind", Takes::kText,
        "attempts|calls|tokens|dollars|evaluator_seconds",
        "of what (attempts); calls are of models, in memory"},
       {"baseline", Takes::kText, "POLICY",
        "that the others are told apart from (stark)"},
       {"parallel", Takes::kCount, "N",
        "campaigns at the same time (1; in memory, the processor's cores)"},
       {"in-memory", Takes::kNothing, "",
        "on landscapes, thousands of campaigns; FILE keeps their scores; "
        "--budget may be a list (30)"},
       {"factorial", Takes::kNothing, "",
        "what each level of --policies and --vary is worth at equal money, and "
        "whether the best of all their combinations beats sampling"},
       {"held-out", Takes::kText, "TASK,...",
        "with --factorial: those on which that is judged; none of --tasks"},
       {"until-told", Takes::kNothing, "",
        "in memory: more seeds, up to --seeds, until each policy is told from "
        "the baseline"},
       kUnfitOption,
       {"report", Takes::kNothing, "", "only what there is; run nothing"},
       {"csv", Takes::kText, "DIRECTORY", "write the numbers there, too"},
       {"figures", Takes::kText, "DIRECTORY",
        "draw there, as SVG and PNG, and write the numbers"}});
  return {
      .name = "compare",
      .summary = "search policies on tasks, with intervals, at equal budget",
      .arguments = "[FILE]",
      .examples =
          "  coppice compare lab.db --policies stark,greedy --tasks "
          "cpu:level1\n"
          "  coppice compare lab.db --policies all --tasks sim:basic --seeds "
          "20 "
          "--parallel 2\n"
          "  coppice compare lab.db --policies "
          "stark,stark:epsilon=0.4,n_root=8 --tasks cpu:level1\n"
          "  coppice compare lab.db --policies stark --vary "
          "window_history=0,5 --tasks sim:all\n"
          "  coppice compare lab.db   # continue, then the report\n"
          "  coppice compare lab.db --report --figures pictures\n"
          "  coppice compare --in-memory --policies all --tasks sim:all "
          "--budget 30,100,300\n"
          "  coppice compare lab.db --in-memory --policies all --tasks sim:all "
          "--seeds 2000 --progress plain\n",
      .options = std::move(options),
      .settings = config::NamesWithout(config::kVaried | config::kOfUserAlone),
      .first = {"policies", "tasks", "seeds", "budget", "in-memory"},
      .run = RunCompare,
  };
}

}  // namespace coppice::cli
