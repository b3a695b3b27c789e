#include "engine/cli/compare_check.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>

#include "agents/prompt/prompt.h"
#include "config/model_list.h"
#include "engine/campaign/display.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/screening.h"
#include "engine/compare/contender.h"
#include "engine/compare/grid_settings.h"
#include "engine/documents/table.h"
#include "engine/factory/agent_models.h"
#include "store/records/own_providers.h"

namespace coppice::cli {
namespace {

using engine::BudgetKind;
using engine::Grid;

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

}  // namespace

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

Result<void> CheckGrid(const Grid& grid, const Invocation& invocation,
                       const std::vector<store::CampaignRow>& rows,
                       engine::CampaignFactory& factory, std::ostream& err) {
  Screening screening(invocation);
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
      if (is_news && surface != engine::Surface::kNone)
        err << OneLine(notice) << "\n";
    }
    TRY(fitness, screening.Judge(factory, task, BegunOn(name, rows), err));
    TRY_DONE(MustBeKept(name, fitness));
    Enter(task, fitness, err, screened);
  }
  return {};
}

}  // namespace coppice::cli
