#include "engine/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "agents/provider/model.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/lease_keeper.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/process_lock.h"
#include "store/read/history.h"
#include "store/read/progress_curve.h"
#include "store/records/attempt.h"

namespace coppice::engine {
namespace {

// Elapsed time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

// How often a process looks whether others have come to an end.
constexpr std::chrono::milliseconds kLookEvery(100);

}  // namespace

struct Campaign::Shared {
  Shared(const CampaignParts& parts, const store::CampaignRow& row,
         std::function<void(const std::string& line)> tell, LeaseTerms terms)
      : queue(parts.stations, parts.clock, {.tell = std::move(tell)}),
        live_tree(parts, row, std::move(terms)),
        ledger(parts, live_tree.mutex()) {}

  EvaluationQueue queue;
  LiveTree live_tree;
  Ledger ledger;
};

Campaign::Campaign(const CampaignParts& parts, store::CampaignRow row,
                   Options options)
    : parts_(parts),
      database_(parts.database),
      task_(parts.task),
      clock_(parts.clock),
      row_(std::move(row)),
      options_(std::move(options)),
      owner_(ToString(FreshUuid(parts.clock))),
      shared_(std::make_unique<Shared>(
          parts, row_,
          [this](const std::string& line) {
            if (observer_ != nullptr) observer_->OnAside(line);
          },
          LeaseTerms{options_.database, owner_, options_.lease_s})),
      queue_(shared_->queue),
      live_tree_(shared_->live_tree),
      ledger_(shared_->ledger) {
  progress_.campaign = row_.spec.name;
  progress_.budget_attempts = row_.spec.budget_attempts;
}

Campaign::~Campaign() = default;

Result<Ending> Campaign::Run(Observer& observer) {
  started_ = clock_.Monotonic();
  observer_ = &observer;
  TRY(process_lock, WithRoom(options_.outages, [&] {
        return ProcessLock::Join(options_.database, row_.id, owner_);
      }));
  keeper_ = std::make_unique<LeaseKeeper>(options_.database, row_.id, owner_,
                                          options_.lease_s, clock_);
  auto ending = Proceed(observer);
  keeper_.reset();
  if (!ending) {
    // What failed before it is what the user has to know.
    (void)Account(store::CampaignState::kPaused);
    return ending;
  }
  TRY(leaders, store::ReadLeaders(database_, row_.id, 1));
  is_confirmed_ = !leaders.empty() && leaders.front().is_confirmed;
  return ending;
}

Result<Ending> Campaign::Proceed(Observer& observer) {
  TRY_DONE(Account(store::CampaignState::kRunning));
  TRY_DONE(live_tree_.EndOrphans());
  TRY_DONE(live_tree_.Rebuild());
  TRY_DONE(Refresh());
  NoteTime();
  TRY_ASSIGN(limits_, live_tree_.LimitsInForce());
  if (live_tree_.nodes() == 0) TRY_DONE(MeasureRoot(observer));
  if (options_.extent == Extent::kRoot) return Paused(Ending::kDrained);
  {
    // A limit that was raised is for what is taken over, too.
    const std::lock_guard lock(live_tree_.mutex());
    TRY_DONE(HearPeople());
  }
  const auto worked = WorkSideBySide(observer);
  if (!worked && worked.error().code == Errc::kSpent) {
    cap_reached_ = worked.error().what;
    TRY_DONE(FlushModels());
    return Paused(Ending::kCapReached);
  }
  TRY_DONE(worked);
  TRY_DONE(FlushModels());
  {
    const std::lock_guard lock(live_tree_.mutex());
    TRY_DONE(live_tree_.CatchUp());
    TRY_DONE(Refresh());
  }
  TRY(is_work_left, IsWorkLeft());
  if (IsDraining() && is_work_left) return Paused(Ending::kDrained);
  // What is confirmed later is no matter of rules: attempts ended by them.
  const auto rule = MetRule(parts_.stop, progress_);
  if (options_.confirm) {
    TRY(ending, Confirm(observer));
    if (ending == Ending::kDrained) return Paused(Ending::kDrained);
  }
  if (rule && live_tree_.decisions() < row_.spec.budget_attempts) {
    rule_met_ = *rule;
    TRY_DONE(store::Campaigns(database_).Stop(row_.id, rule_met_,
                                              clock_.UnixSeconds()));
    TRY_DONE(Account(store::CampaignState::kFinished));
    return Ending::kRuleMet;
  }
  const bool is_to_begin_none =
      options_.extent == Extent::kNone || options_.extent == Extent::kToldYet;
  const bool may_go_on = !put_off_.empty() ||
                         (is_to_begin_none &&
                          (live_tree_.HasForeign() ||
                           live_tree_.decisions() < row_.spec.budget_attempts));
  TRY_DONE(Account(may_go_on ? store::CampaignState::kPaused
                             : store::CampaignState::kFinished));
  return Ending::kBudgetSpent;
}

Result<void> Campaign::WorkSideBySide(Observer& observer) {
  std::optional<Error> first;
  const auto work = [&] {
    if (auto done = Work(observer); !done) {
      const std::lock_guard lock(live_tree_.mutex());
      if (!first) first = std::move(done).error();
      failed_ = true;
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < options_.parallel; ++i) others.emplace_back(work);
    work();
  }
  if (first) return tl::unexpected<Error>(std::move(*first));
  return {};
}

Result<void> Campaign::Work(Observer& observer) {
  for (;;) {
    TRY(attempt, NextAttempt());
    if (!attempt) return {};
    TRY_DONE(RunAttempt(*std::move(attempt), observer));
    const std::lock_guard lock(live_tree_.mutex());
    NoteTime();
    if (clock_.Monotonic() - started_ - accounted_ > kAccountEvery_s) {
      TRY_DONE(Account(store::CampaignState::kRunning));
    }
  }
}

// Not while somebody holds attempts back, nor while no model answers.
Result<bool> Campaign::MayReserve() {
  TRY_DONE(HearPeople());
  TRY(limit, DecisionLimit());
  const bool is_at_end = live_tree_.decisions() >= limit;
  if (HoldsBack(is_at_end ? nullptr : live_tree_.HeldBackBy(used_usd_))) {
    return false;
  }
  return !IsSilent() || put_off_.empty();
}

// Where agents are outside, what they have not told is theirs.
Result<std::optional<AttemptRecord>> Campaign::AdoptOrphan() {
  LiveTree::Wanted wanted;
  if (options_.extent == Extent::kTold || options_.extent == Extent::kToldYet) {
    wanted = [](Stage stage, NodeId) { return stage == Stage::kCoded; };
  }
  return live_tree_.AdoptOrphan(
      keeper_->IsSteady() ? Orphans::kStoppedToo : Orphans::kDead, wanted);
}

// None if there is nothing left to do, or nothing more shall be begun.  While
// other processes work on the last attempts, these may yet be left behind.
Result<std::optional<AttemptRecord>> Campaign::NextAttempt() {
  std::unique_lock lock(live_tree_.mutex());
  while (!failed_ && !IsDraining()) {
    TRY(orphan, AdoptOrphan());
    if (orphan) return orphan;
    TRY(may_reserve, MayReserve());
    TRY(has_judged, JudgeAsked(lock));
    if (has_judged) continue;
    TRY(has_settled, SettleInPassing(lock));
    if (has_settled) continue;
    const bool is_told = options_.extent == Extent::kTold;
    const bool is_over = options_.extent == Extent::kToldYet;
    if (may_reserve && !is_told && !is_over) {
      TRY(limit, DecisionLimit());
      TRY(fresh, live_tree_.Reserve(limit));
      TellOfDirectives();
      if (fresh) return fresh;
    }
    if (!put_off_.empty()) {
      // A model that stays away is not waited for beyond the budget's time.
      TRY(is_late, IsTimeOver());
      if (is_late && unanswered_ > 0) break;
      AttemptRecord again = std::move(put_off_.front());
      put_off_.erase(put_off_.begin());
      return std::optional(std::move(again));
    }
    TRY(limit, DecisionLimit());
    const bool is_awaited = is_told && live_tree_.decisions() < limit;
    if (is_over || (!live_tree_.HasForeign() && !is_awaited && !held_by_))
      break;
    lock.unlock();
    std::this_thread::sleep_for(kLookEvery);
    lock.lock();
  }
  return std::optional<AttemptRecord>();
}

Result<void> Campaign::FlushModels() {
  std::vector<Agent> agents = {parts_.plan, parts_.code, parts_.debug};
  for (const Roster& roster : parts_.rosters) {
    agents.insert(agents.end(), roster.agents.begin(), roster.agents.end());
  }
  if (parts_.named != nullptr) {
    std::ranges::move(parts_.named->All(), std::back_inserter(agents));
  }
  for (const Agent& agent : agents) {
    TRY_DONE(WithRoom(options_.outages, [&] { return agent.model->Flush(); }));
  }
  return {};
}

// For what is to be done once, by whichever process.  None if somebody asks to
// stop before the others are done.
Result<std::optional<ProcessLock>> Campaign::AwaitTurn() {
  for (;;) {
    TRY(turn, ProcessLock::TryTurn(options_.database, row_.id));
    if (turn || IsDraining()) return turn;
    std::this_thread::sleep_for(kLookEvery);
  }
}

Result<void> Campaign::Account(store::CampaignState state) {
  const double since = clock_.Monotonic() - started_;
  store::Campaigns campaigns(database_);
  TRY_DONE(campaigns.Update(row_.id, state, since - accounted_,
                            clock_.UnixSeconds()));
  accounted_ = since;
  return {};
}

bool Campaign::IsDraining() const {
  return options_.drain != nullptr && options_.drain->load();
}

Result<Ending> Campaign::Paused(Ending ending) {
  TRY_DONE(Account(store::CampaignState::kPaused));
  return ending;
}

Result<std::int64_t> Campaign::DecisionLimit() const {
  if (options_.extent == Extent::kNone || options_.extent == Extent::kToldYet) {
    return 0;
  }
  TRY(is_over, IsTimeOver());
  if (is_over || MetRule(parts_.stop, progress_)) return 0;
  return row_.spec.budget_attempts;
}

Result<bool> Campaign::IsTimeOver() const {
  const double here = clock_.Monotonic() - started_;
  if (row_.spec.budget_s && row_.elapsed_s + here >= *row_.spec.budget_s) {
    return true;
  }
  if (!parts_.budget_evaluator_s) return false;
  TRY(used_s, store::ReadEvaluatorSeconds(database_, row_.id));
  return used_s >= *parts_.budget_evaluator_s;
}

Result<bool> Campaign::IsWorkLeft() const {
  TRY(limit, DecisionLimit());
  return live_tree_.nodes() == 0 || live_tree_.decisions() < limit ||
         live_tree_.HasForeign() || !put_off_.empty();
}

}  // namespace coppice::engine
