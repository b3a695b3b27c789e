#include "engine/compare/grid_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/campaign/outages.h"
#include "engine/campaign/process_lock.h"
#include "engine/compare/confirm_winner.h"
#include "engine/compare/contender.h"
#include "engine/compare/grid_settings.h"
#include "engine/compare/score.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/process/clock.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"

namespace coppice::engine {
namespace {

// How often to look whether another process is done with a campaign.
constexpr std::chrono::milliseconds kAskEvery(100);

// The only cap is of the budget's kind: reaching it ends the campaign.
bool IsOwnCap(const Budget& budget, const config::Settings& settings) {
  const bool others = settings.plan_cap_tokens || settings.code_cap_tokens ||
                      settings.debug_cap_tokens || settings.day_cap_tokens ||
                      settings.plan_cap_usd || settings.code_cap_usd ||
                      settings.debug_cap_usd || settings.day_cap_usd;
  switch (budget.kind) {
    case BudgetKind::kTokens:
      return !others && !settings.cap_usd;
    case BudgetKind::kDollars:
      return !others && !settings.cap_tokens;
    default:
      return false;
  }
}

Result<store::CampaignSpec> SpecOf(CampaignFactory& factory, const Cell& cell,
                                   const Budget& budget) {
  TRY(task, factory.FindTask(cell.task));
  store::CampaignSpec spec = Specify(factory, task, CampaignName(cell, budget));
  const Contender contender = ContenderOf(cell.policy);
  spec.policy = contender.policy;
  spec.seed = cell.seed;
  spec.settings = SettingsOf(cell, budget, factory.loaded());
  TRY(own, OwnSettings(contender, factory.settings()));
  TRY_ASSIGN(spec.lessons, factory.LessonsFor(task, own));
  return spec;
}

Result<store::CampaignChange> Grown(const store::CampaignRow& row,
                                    std::int64_t attempts) {
  if (!ReadMarks(row)) {
    return Fail(Errc::kUsage,
                row.spec.name + ": is a campaign of no comparison");
  }
  store::CampaignChange change;
  change.id = row.id;
  if (row.spec.budget_attempts < attempts) {
    change.budget_attempts = attempts;
    change.budget_s = row.spec.budget_s;
  }
  return change;
}

}  // namespace

// What a thread works with.
struct GridRun::Hands {
  std::unique_ptr<CampaignFactory> factory;
  store::Database database;
};

class GridRun::Watch final : public Observer {
 public:
  Watch(GridRun& run, const Cell& cell) : run_(run), cell_(cell) {}

  void OnCommit(const Progress& progress, const NodeRecord&) override {
    const std::lock_guard lock(run_.mutex_);
    run_.observer_.OnCommit(cell_, progress, run_.progress_);
  }
  void OnConfirm(const Progress&, NodeId) override {}

 private:
  GridRun& run_;
  const Cell& cell_;
};

GridRun::GridRun(const Grid& grid, std::filesystem::path database,
                 FactoryMaker make_factory, Outages& outages,
                 GridObserver& observer)
    : grid_(grid),
      cells_(CellsOf(grid)),
      database_(std::move(database)),
      make_factory_(std::move(make_factory)),
      outages_(outages),
      observer_(observer),
      listener_(outages, [this](const Outage& outage) {
        const std::lock_guard lock(mutex_);
        observer_.OnOutage(outage);
      }) {
  progress_.cells = static_cast<std::int64_t>(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) waiting_.push_back(i);
}

Result<void> GridRun::Begin(CampaignFactory& factory,
                            store::Database& database) {
  store::Campaigns campaigns(database);
  TRY(rows, campaigns.List());
  std::map<std::string, const store::CampaignRow*> by_name;
  for (const store::CampaignRow& row : rows) by_name[row.spec.name] = &row;
  std::vector<store::CampaignSpec> missing;
  std::vector<store::CampaignChange> changes;
  for (const Cell& cell : cells_) {
    const auto found = by_name.find(CampaignName(cell, grid_.budget));
    if (found == by_name.end()) {
      TRY(spec, SpecOf(factory, cell, grid_.budget));
      missing.push_back(std::move(spec));
    } else {
      TRY(change, Grown(*found->second, factory.settings().budget_attempts));
      changes.push_back(std::move(change));
    }
  }
  // At once, as the grid is what there is.  Another process may be the first.
  return campaigns.Enter(missing, changes);
}

Result<GridRun::Ending> GridRun::Run(int side_by_side) {
  std::optional<Error> first;
  const auto work = [&] {
    if (auto done = Work(); !done) {
      const std::lock_guard lock(mutex_);
      if (!first) first = std::move(done).error();
      stop_ = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < side_by_side; ++i) others.emplace_back(work);
    work();
  }
  if (first) return tl::unexpected<Error>(std::move(*first));
  if (!cap_reached_.empty()) return Ending::kCapReached;
  return is_drained_ ? Ending::kDrained : Ending::kDone;
}

Result<GridRun::Hands> GridRun::Equip() {
  TRY(factory, make_factory_());
  TRY(database, store::Database::Open(database_, store::Access::kReadWrite,
                                      store::Durability::kFull, &outages_));
  return Hands{std::move(factory), std::move(database)};
}

std::optional<std::size_t> GridRun::NextCell() {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  const std::size_t next = waiting_.front();
  waiting_.pop_front();
  return next;
}

// What another process runs comes last: by then it may be done, or left behind.
Result<void> GridRun::Work() {
  std::optional<Hands> hands;
  std::size_t in_turn = 0;  // Held by others.
  while (!stop_) {
    const auto next = NextCell();
    if (!next) return {};
    if (!hands) {
      TRY(equipped, Equip());
      hands.emplace(std::move(equipped));
    }
    if (hands->factory->drain()) {
      NoteDrained();
      return {};
    }
    TRY(held, TryCell(*hands, cells_[*next]));
    if (held == Held::kByUs) {
      in_turn = 0;
      continue;
    }
    std::size_t left = 0;
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(*next);
      left = waiting_.size();
    }
    if (++in_turn < left) continue;
    std::this_thread::sleep_for(kAskEvery);
  }
  return {};
}

Result<GridRun::Held> GridRun::TryCell(Hands& hands, const Cell& cell) {
  store::Campaigns campaigns(hands.database);
  const std::string name = CampaignName(cell, grid_.budget);
  TRY(found, campaigns.Find(name));
  TRY(claim, WithRoom(&outages_, [&] {
        return ProcessLock::TryClaim(database_, found.id);
      }));
  if (!claim) return Held::kByAnother;
  TRY(row, campaigns.Find(name));  // As whoever had it left it.
  TRY_DONE(RunCell(hands, cell, row));
  return Held::kByUs;
}

Result<void> GridRun::RunCell(Hands& hands, const Cell& cell,
                              const store::CampaignRow& row) {
  TRY(task, hands.factory->FindTask(cell.task));
  const bool was_done = row.state == store::CampaignState::kFinished;
  if (!was_done) {
    Watch watch(*this, cell);
    TRY(report, RunCampaign(*hands.factory, hands.database, task, row, watch));
    if (report.ending == engine::Ending::kDrained) {
      NoteDrained();
      return {};
    }
    if (report.ending == engine::Ending::kCapReached) {
      if (!IsOwnCap(grid_.budget, hands.factory->settings())) {
        const std::lock_guard lock(mutex_);
        cap_reached_ = row.spec.name + ": " + report.cap_reached;
        stop_ = true;
        return {};
      }
      TRY_DONE(store::Campaigns(hands.database)
                   .Update(row.id, store::CampaignState::kFinished, 0.0,
                           hands.factory->clock().UnixSeconds()));
    }
  }
  TRY(is_proven,
      ConfirmWinner(
          [&] { return hands.factory->evaluators().PatientEvaluatorFor(task); },
          task, hands.database, row.id, grid_.budget, hands.factory->clock(),
          hands.factory->drain()));
  if (!is_proven) {
    NoteDrained();
    return {};
  }
  TRY(course, store::ReadProgressCurve(hands.database, row.id));
  const lab::Score score = ScoreOf(cell, course, grid_.budget);
  NoteDone(cell, std::exp(score.log_speedup), !was_done);
  return {};
}

void GridRun::NoteDrained() {
  const std::lock_guard lock(mutex_);
  is_drained_ = true;
  stop_ = true;
}

void GridRun::NoteDone(const Cell& cell, double speedup, bool here) {
  const std::lock_guard lock(mutex_);
  ++progress_.done;
  if (!here) return;
  ++progress_.done_here;
  observer_.OnCell(cell, speedup, progress_);
}

}  // namespace coppice::engine
