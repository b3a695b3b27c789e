#include "engine/compare/score.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/factory/landscape_tasks.h"
#include "store/write/directives.h"

namespace coppice::engine {
namespace {

// Campaigns run in any order and side by side; reports have the grid's.
using Rows = std::map<std::string, const store::CampaignRow*>;

// What an attempt uses of a budget.
double CostOf(const store::Step& step, BudgetKind kind) {
  switch (kind) {
    case BudgetKind::kAttempts:
      return 1.0;
    case BudgetKind::kTokens:
      return static_cast<double>(step.tokens);
    case BudgetKind::kDollars:
      return step.cost_usd;
    case BudgetKind::kEvaluatorSeconds:
      return step.evaluator_s;
  }
  return 1.0;
}

// Visits attempts, with what was spent once each was done, as far as the budget
// reaches.  The last may pass a budget of seconds, which none knows before: it
// counts, as if the limit had been there.
template <class Visit>
void Walk(const std::vector<store::Step>& course, const Budget& budget,
          const Visit& visit) {
  double spent = 0.0;
  for (std::size_t i = 1; i < course.size(); ++i) {
    if (spent >= budget.amount) return;
    spent += CostOf(course[i], budget.kind);
    visit(i, std::min(spent, budget.amount));
  }
}

// One that a rule ended, such as that nothing is left to try, would come to no
// more with the rest of its budget.
bool IsDone(const store::CampaignRow& row, const Budget& budget) {
  const bool is_finished = row.state == store::CampaignState::kFinished;
  if (budget.kind != BudgetKind::kAttempts) return is_finished;
  const auto permitted = static_cast<double>(row.spec.budget_attempts);
  const auto attempts = static_cast<double>(row.nodes) - 1.0;
  return is_finished ? permitted >= budget.amount
                     : permitted > budget.amount && attempts >= budget.amount;
}

}  // namespace

std::optional<std::size_t> Incumbent(const std::vector<store::Step>& course,
                                     const Budget& budget) {
  std::optional<std::size_t> best;
  Walk(course, budget, [&](std::size_t i, double) {
    const double bar = best ? course[*best].speedup->ratio : 1.0;
    if (course[i].speedup && course[i].speedup->ratio > bar) best = i;
  });
  return best;
}

lab::Score ScoreOf(const Cell& cell, const std::vector<store::Step>& course,
                   const Budget& budget) {
  lab::Score score;
  score.policy = cell.policy;
  score.task = cell.task;
  score.family = LandscapeTasks::FamilyOf(cell.task);
  score.seed = cell.seed;
  double best = 1.0;
  bool any_open = false;
  const Speedup* fastest = nullptr;  // Of the candidates.
  Walk(course, budget, [&](std::size_t i, double spent) {
    const store::Step& step = course[i];
    ++score.attempts;
    if (step.verdict != Verdict::kCompileFailed &&
        step.verdict != Verdict::kNoCandidate) {
      ++score.compiled;
    }
    if (step.verdict == Verdict::kPassed) ++score.passed;
    any_open |= step.verdict == Verdict::kInconclusive;
    if (step.speedup &&
        (fastest == nullptr || step.speedup->ratio > fastest->ratio)) {
      fastest = &*step.speedup;
    }
    if (step.speedup && step.speedup->ratio > best) {
      best = step.speedup->ratio;
      score.curve.push_back({spent, std::log(best)});
    }
  });
  score.solved = score.passed > 0;
  score.decided = fastest == nullptr ? !any_open : fastest->Sign() != 0;
  if (const auto i = Incumbent(course, budget)) {
    score.proven = course[*i].is_proven;
    score.log_speedup = std::log(course[*i].speedup->ratio);
  }
  return score;
}

Result<Scores> ReadScores(store::Database& database,
                          const std::vector<store::CampaignRow>& rows,
                          const Grid& grid) {
  Rows by_name;
  for (const store::CampaignRow& row : rows) by_name[row.spec.name] = &row;
  Scores scores;
  for (const Cell& cell : CellsOf(grid)) {
    const auto found = by_name.find(CampaignName(cell, grid.budget));
    if (found == by_name.end() || !IsDone(*found->second, grid.budget)) {
      scores.missing.push_back(cell);
      continue;
    }
    TRY(is_steered, store::IsSteered(database, found->second->id));
    if (is_steered) {
      scores.steered.push_back(found->first);
      continue;
    }
    TRY(course, store::ReadProgressCurve(database, found->second->id));
    scores.scores.push_back(ScoreOf(cell, course, grid.budget));
  }
  return scores;
}

}  // namespace coppice::engine
