// coppice compare: policies x tasks x seeds at equal budget.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "agents/prompt/prompt.h"
#include "config/keys.h"
#include "config/model_list.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/comparison_report.h"
#include "engine/cli/factorial.h"
#include "engine/cli/figures.h"
#include "engine/cli/lists.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/screening.h"
#include "engine/cli/verbs.h"
#include "engine/compare/contender.h"
#include "engine/compare/grid_display.h"
#include "engine/compare/grid_settings.h"
#include "engine/compare/score.h"
#include "engine/documents/continuing.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/factory/agent_models.h"
#include "engine/factory/landscape_tasks.h"
#include "engine/factory/task_finder.h"
#include "engine/process/installation.h"
#include "engine/sessions/own_sessions.h"
#include "search/landscapes/in_memory_campaign.h"
#include "store/records/own_providers.h"
#include "store/records/parse_number.h"

namespace coppice::cli {
namespace {
namespace fs = std::filesystem;
using engine::BudgetKind;
using engine::Grid;

constexpr std::int64_t kSeeds = 5;
constexpr std::int64_t kMostSeeds = 10'000;  // Each is a campaign of its own.
constexpr std::string_view kBaseline = "stark";

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

// `option` is --tasks or --held-out.
Result<std::vector<std::string>> TasksOf(const Invocation& invocation,
                                         const std::string& option,
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

// What the command line says, and the file where it says nothing.
Result<Grid> GridOf(const Invocation& invocation,
                    const engine::CampaignFactory& factory, const Grid& file) {
  Grid grid = file;
  TRY_ASSIGN(grid.policies, PoliciesOf(invocation, file.policies));
  TRY_ASSIGN(grid.tasks, TasksOf(invocation, "tasks", factory, file.tasks));
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

Error NoComparison(const Invocation& invocation, const std::string& what) {
  return {Errc::kUsage, invocation.settings().db.string() + ": " + what +
                            "; start one: coppice compare FILE --policies "
                            "stark,greedy --tasks cpu:level1"};
}

// Campaigns of the file; none if there is no such file yet.
Result<std::vector<store::CampaignRow>> RowsOf(const Invocation& invocation) {
  std::error_code failed;
  if (!fs::exists(invocation.settings().db, failed)) {
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

bool CountsTokens(const config::Settings& settings) {
  const auto counts = [](const config::ModelChoice& model) {
    const OwnProvider own = OwnProviderOf(model.provider);
    return !own.IsRepeatable() && !own.RunsCommand();
  };
  return std::ranges::any_of(
      std::array{settings.plan_model, settings.code_model,
                 settings.debug_model},
      [&](const config::ModelList& models) {
        return std::ranges::any_of(models, counts);
      });
}

// A budget that nothing is taken from would never end.
Result<void> CheckBudget(const engine::Budget& budget, const Task& task,
                         const config::Settings& settings) {
  const bool simulated = task.root.language == Language::kSim;
  const std::string kind = "--budget-kind " + std::string(Name(budget.kind));
  if (budget.kind == BudgetKind::kEvaluatorSeconds && simulated) {
    return Fail(Errc::kUsage, kind + ": judging " + task.definition.name +
                                  " takes none; compare by attempts");
  }
  const bool is_of_models =
      budget.kind == BudgetKind::kTokens || budget.kind == BudgetKind::kDollars;
  if (is_of_models && !CountsTokens(settings)) {
    return Fail(Errc::kUsage, kind + ": the agents use none on " +
                                  task.definition.name +
                                  "; compare by attempts" +
                                  (simulated ? "" : " or evaluator_seconds"));
  }
  return {};
}

// The first of the file's campaigns on the task; empty: there is none.
std::string BegunOn(const std::string& task,
                    const std::vector<store::CampaignRow>& rows) {
  const auto row = std::ranges::find_if(
      rows, [&](const auto& one) { return one.spec.task_name == task; });
  return row == rows.end() ? "" : row->spec.name;
}

// Everything that could be wrong with the grid, before a file is made for it.
Result<void> CheckGrid(const Grid& grid, const Invocation& invocation,
                       const std::vector<store::CampaignRow>& rows,
                       engine::CampaignFactory& factory, std::ostream& err) {
  TRY(screening, Screening::Begin(invocation));
  Screened screened;
  TRY(surface, TextSurfaceOf(invocation, false));
  std::set<std::string> told;  // Told of models once.
  for (const std::string& name : grid.tasks) {
    TRY(task, factory.FindTask(name));
    const config::Settings& settings = factory.settings();
    TRY_DONE(CheckBudget(grid.budget, task, settings));
    for (const std::string& policy : grid.policies) {
      const engine::Contender contender = engine::ContenderOf(policy);
      TRY_DONE(factory.Prepare(task, contender.policy));
      TRY(own, engine::OwnSettings(contender, settings));
      TRY_DONE(factory.LessonsFor(task, own).map([](const auto&) {}));
      TRY_DONE(engine::CheckAgents(task, own, own.budget_attempts));
      TRY_DONE(factory.PromptsOf(own));
    }
    TRY(notices, factory.UnheededNotices(task, settings));
    for (const std::string& notice : notices) {
      const bool is_news = told.insert(notice).second;
      if (is_news && surface != engine::Surface::kNone) {
        err << OneLine(notice) << "\n";
      }
    }
    TRY(fitness, screening.Judge(factory, task, BegunOn(name, rows), err));
    TRY_DONE(MustBeKept(name, fitness));
    Enter(task, fitness, err, screened);
  }
  return {};
}

// Campaigns on this machine's processor would compile while others measure.
Result<int> SideBySide(const Invocation& invocation, const Grid& grid,
                       const engine::CampaignFactory& factory,
                       Streams& streams) {
  TRY(wanted, ThreadsOf(invocation, 1));
  if (wanted == 1) return 1;
  for (const std::string& name : grid.tasks) {
    TRY(task, factory.FindTask(name));
    if (task.root.language == Language::kCpp) {
      streams.err << "--parallel: " << OneLine(name)
                  << " is measured on the processor, which compiling for "
                     "others would disturb; campaigns run one by one\n";
      return 1;
    }
  }
  return wanted;
}

Result<Exit> RunCells(const Invocation& invocation, const Grid& grid,
                      engine::CampaignFactory& factory, Streams& streams) {
  const config::Loaded& loaded = invocation.config;
  TRY(surface, TextSurfaceOf(invocation, streams.err_is_terminal));
  TRY(side_by_side, SideBySide(invocation, grid, factory, streams));
  TRY(installation, engine::FindInstallation(engine::ExecutablePath()));
  const auto make_factory = [&] {
    return engine::CampaignFactory::Make(
        loaded, installation.runner, factory.clock(), factory.drain(),
        &factory.outages(), sessions::MakeOwnSessions);
  };
  engine::GridDisplay display(streams.err, surface, factory.clock(),
                              streams.err_columns);
  engine::GridRun run(grid, invocation.settings().db, make_factory,
                      factory.outages(), display);
  {
    TRY(database,
        OpenToWrite(invocation, run.listener(), store::Access::kCreate));
    TRY_DONE(run.Begin(factory, database));
  }
  auto ending = run.Run(side_by_side);
  display.Close();
  if (!ending) return tl::unexpected<Error>(std::move(ending).error());
  switch (*ending) {
    case engine::GridRun::Ending::kDone:
      return Exit::kDone;
    case engine::GridRun::Ending::kDrained:
      if (surface != engine::Surface::kNone) {
        streams.err << (invocation.Has("factorial")
                            ? "stopped; the same command goes on"
                            : "stopped; continue with: " +
                                  ContinueCommand("compare", loaded))
                    << "\n";
      }
      return Exit::kInterrupted;
    case engine::GridRun::Ending::kCapReached:
      streams.err << OneLine(run.cap_reached()) << "\n";
      return Exit::kFailure;
  }
  return Exit::kDone;
}

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
  std::string other =
      has(kBaseline) ? std::string(kBaseline) : scores.front().policy;
  if (wanted) {
    streams.err << "--baseline " << OneLine(*wanted)
                << ": no campaign of it is at the end of its budget; the "
                   "baseline is "
                << OneLine(other) << "\n";
  }
  return other;
}

// What campaigns of the file came to, but for those that people steered.
Result<engine::Scores> ScoresOf(const Invocation& invocation, const Grid& grid,
                                Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(rows, store::Campaigns(database).List());
  TRY(scores, engine::ReadScores(database, rows, grid));
  for (const std::string& campaign : scores.steered) {
    streams.err << OneLine(campaign)
                << ": left out, since people steered it: it is no sample of "
                   "its policy\n";
  }
  return scores;
}

Result<ComparisonReport> ReportOn(const Invocation& invocation,
                                  const Grid& grid, Streams& streams) {
  TRY(read, ScoresOf(invocation, grid, streams));
  ComparisonReport report{invocation.settings().db.string(),
                          grid,
                          std::move(read.scores),
                          std::move(read.missing),
                          {}};
  const bool is_whole = grid.budget.kind == BudgetKind::kAttempts;
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
  const auto rows = RowsOf(invocation);
  return rows && !engine::FindGrid(*rows, std::nullopt);
}

// Adds what the grid decides.
Result<Invocation> SettledFor(const Grid& grid, const Invocation& invocation,
                              const std::vector<store::CampaignRow>& rows) {
  Invocation settled = invocation;
  TRY_DONE(engine::Settle(grid, rows, settled.config));
  return settled;
}

Result<Exit> RunGrid(const Invocation& invocation, const Grid& grid,
                     const std::vector<store::CampaignRow>& rows,
                     Streams& streams) {
  TRY(settled, SettledFor(grid, invocation, rows));
  TRY(factory, OpenFactory(settled));
  TRY_DONE(CheckGrid(grid, settled, rows, *factory, streams.err));
  return RunCells(settled, grid, *factory, streams);
}

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
    TRY(rows, RowsOf(invocation));
    TRY_ASSIGN(played.exit, RunGrid(invocation, grid, rows, streams));
  }
  TRY_ASSIGN(played.scores, ScoresOf(invocation, grid, streams));
  return played;
}

// Before the choice is run.
Result<void> CheckFinal(const Invocation& invocation, const Grid& grid,
                        Streams& streams) {
  TRY(rows, RowsOf(invocation));
  TRY(settled, SettledFor(grid, invocation, rows));
  TRY(factory, OpenFactory(settled));
  return CheckGrid(grid, settled, rows, *factory, streams.err);
}

// The cells and samplings on the tasks to choose by, and then what was chosen
// beside the samplings on the others.
Result<Exit> RunFactorial(const Invocation& invocation, Streams& streams) {
  TRY(plan, PlanFactorial(invocation, false));
  TRY(money, MoneyOf(invocation));
  TRY(naming, OpenFactory(invocation));
  TRY(choice, GridOf(invocation, *naming, money));
  choice.policies = plan.Contenders();
  Grid final = choice;
  final.held_out = true;
  TRY_ASSIGN(final.tasks, TasksOf(invocation, "held-out", *naming, {}));
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
  if (invocation.Has("json")) {
    PrintFactorialJson(report, streams);
  } else {
    PrintFactorial(report, streams);
  }
  return exit;
}

Result<Exit> RunCompare(const Invocation& invocation, Streams& streams) {
  if (!invocation.Has("factorial")) {
    TRY_DONE(invocation.MustNotHave({"held-out"}, "is for --factorial"));
  }
  if (invocation.Has("in-memory")) return CompareInMemory(invocation, streams);
  if (invocation.Has("factorial")) return RunFactorial(invocation, streams);
  if (IsOfMemory(invocation)) return CompareInMemory(invocation, streams);
  TRY_DONE(invocation.MustNotHave({"until-told"}, "is for --in-memory"));
  TRY(rows, RowsOf(invocation));
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
