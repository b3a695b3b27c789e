#include "engine/campaign/campaign.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "agents/provider/model.h"
#include "engine/campaign/attempt.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/named_agents.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/root_candidate.h"
#include "engine/steering/directive_text.h"
#include "engine/steering/limits.h"
#include "engine/steering/steering.h"
#include "eval/judge/same_task.h"
#include "search/tree.h"
#include "store/read/history.h"
#include "store/read/progress_curve.h"
#include "store/records/node.h"
#include "store/records/tier.h"
#include "store/write/directives.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

// Elapsed time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

// Winners that are measured in the full tier at the end, until one stays first.
constexpr int kMostConfirmed = 5;

// A node that is inconclusive is measured again once so many others have been
// committed, and before the campaign ends.
constexpr std::int64_t kSettleEvery = 5;

// How often a process looks whether others have come to an end.
constexpr std::chrono::milliseconds kLookEvery(100);

constexpr std::chrono::milliseconds kTryEvery(1);

// Rounds without an answer, one for each attempt at the same time, after which
// the attempts that wait for one are tried again before others are begun: what
// is selected meanwhile is selected blindly.
constexpr int kBlindRounds = 3;

// The pause after the k-th round, k = 0, 1, ..., is the first times 2^k.
constexpr double kFirstPause_s = 0.5;
constexpr double kLongestPause_s = 300.0;

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
  started_ = parts_.clock.Monotonic();
  observer_ = &observer;
  TRY(process_lock, WithRoom(options_.outages, [&] {
        return ProcessLock::Join(options_.database, row_.id, owner_);
      }));
  keeper_.emplace(options_.database, row_.id, owner_, options_.lease_s,
                  parts_.clock);
  auto ending = Proceed(observer);
  keeper_.reset();
  if (!ending) {
    // What failed before it is what the user has to know.
    (void)Account(store::CampaignState::kPaused);
    return ending;
  }
  TRY(leaders, store::ReadLeaders(parts_.database, row_.id, 1));
  is_confirmed_ = !leaders.empty() && leaders.front().is_confirmed;
  return ending;
}

Result<Ending> Campaign::Proceed(Observer& observer) {
  TRY_DONE(Account(store::CampaignState::kRunning));
  TRY_DONE(live_tree_.EndOrphans());
  TRY_DONE(live_tree_.Rebuild());
  TRY_DONE(Refresh());
  NoteTime();
  TRY(earlier, store::ReadDirectives(parts_.database, row_.id));
  for (const Directive* each : InForce(earlier, live_tree_.decisions())) {
    if (each->kind == DirectiveKind::kBudget) limits_.insert(each->id);
  }
  if (live_tree_.tree().Size() == 0) TRY_DONE(MeasureRoot(observer));
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
    TRY_DONE(store::Campaigns(parts_.database)
                 .Stop(row_.id, rule_met_, parts_.clock.UnixSeconds()));
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
    TRY_DONE(SettleInPassing(observer));
    const std::lock_guard lock(live_tree_.mutex());
    NoteTime();
    if (parts_.clock.Monotonic() - started_ - accounted_ > kAccountEvery_s) {
      TRY_DONE(Account(store::CampaignState::kRunning));
    }
  }
}

// Pauses and limits hold at once, whether or not anything is to be begun.
Result<void> Campaign::HearPeople() {
  TRY_DONE(live_tree_.CatchUp());
  const double here = parts_.clock.Monotonic() - started_;
  TRY(used, store::ReadUsed(parts_.database, row_.id));
  used_ = used;
  TRY_DONE(live_tree_.HearPeople({.seconds = row_.elapsed_s + here,
                                  .usd = used.usd,
                                  .tokens = used.tokens}));
  FollowLimits();
  TellOfDirectives();
  return {};
}

// Takes the limits that people set for its own, whichever process heard of
// them.  Those of before are in its row and settings already.
void Campaign::FollowLimits() {
  store::Cap cap = ledger_.cap();
  engine::FollowLimits(live_tree_.in_force(), limits_, row_.spec, cap);
  progress_.budget_attempts = row_.spec.budget_attempts;
  if (!(cap == ledger_.cap())) ledger_.SetCap(cap);
}

// Tells the observer of all that people asked, and of what cannot be done
// though it holds.
void Campaign::TellOfDirectives() {
  const std::vector<Directive> news = live_tree_.TakeNews();
  if (observer_ == nullptr) return;
  for (const Directive& each : news) observer_->OnSteered(progress_, each);
  for (const Directive* each : Unusable(live_tree_.in_force())) {
    if (!passed_over_.insert(each->id).second) continue;
    observer_->OnAside("directive " + std::to_string(Index(each->id)) + " of " +
                       each->author +
                       " is passed over: " + CheckSaid(*each).error().what);
  }
}

// Says so, once, of a pause or a gate that holds the next attempt back.
bool Campaign::HoldsBack(const Directive* holding) {
  if (holding == nullptr) {
    held_by_.reset();
    return false;
  }
  if (held_by_ == holding->id) return true;
  held_by_ = holding->id;
  if (observer_ == nullptr) return true;
  const std::string by = holding->author;
  observer_->OnAside(
      holding->kind == DirectiveKind::kPause
          ? "paused by " + by + ": `coppice steer resume` goes on, Ctrl-C ends"
          : "attempt " + std::to_string(live_tree_.decisions()) +
                " waits for an approval, as " + by +
                " wants: `coppice steer approve attempts 1` lets it begin, "
                "Ctrl-C ends");
  return true;
}

// Not while somebody holds attempts back, nor while no model answers.
Result<bool> Campaign::MayReserve() {
  TRY_DONE(HearPeople());
  TRY(limit, DecisionLimit());
  const bool is_at_end = live_tree_.decisions() >= limit;
  if (HoldsBack(is_at_end ? nullptr : live_tree_.HeldBackBy(used_.usd))) {
    return false;
  }
  return !IsSilent() || put_off_.empty();
}

// Whether one was.  Attempts are begun meanwhile, if there are other threads.
Result<bool> Campaign::JudgeAsked(std::unique_lock<std::mutex>& lock) {
  TRY(judgement, live_tree_.TakeJudgement());
  TellOfDirectives();
  if (!judgement) return false;
  lock.unlock();
  const auto judged = EvaluateAgain(judgement->node, Tier::kFull, *observer_,
                                    judgement->directive);
  lock.lock();
  // Another process may have been faster.
  if (!judged && judged.error().code != Errc::kBusy) {
    return tl::unexpected<Error>(judged.error());
  }
  TRY_DONE(live_tree_.CatchUp());
  TRY_DONE(live_tree_.EndJudgement(*judgement));
  TRY_DONE(Refresh());
  TellOfDirectives();
  return true;
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
      put_off_.pop_front();
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

Result<void> Campaign::MeasureRoot(Observer& observer) {
  TRY(turn, AwaitTurn());
  if (!turn) return {};
  TRY_DONE(live_tree_.CatchUp());
  if (live_tree_.tree().Size() > 0) return {};
  NodeRecord root;
  root.uuid = FreshUuid(parts_.clock);
  root.candidate = RootCandidate(parts_.task);
  EvaluationQueue::Turn on = queue_.Wait(parts_.task, *root.candidate);
  TRY_ASSIGN(root.evaluation,
             on.Evaluate(parts_.task, *root.candidate, Tier::kFast));
  if (root.evaluation.verdict != Verdict::kPassed) {
    return Fail(Errc::kCorrupt, parts_.task.definition.name +
                                    ": its root does not pass (" +
                                    std::string(Name(root.evaluation.verdict)) +
                                    "): " + root.evaluation.log);
  }
  TRY_DONE(live_tree_.Commit(nullptr, root));
  Count(root.evaluation);
  TRY_DONE(Refresh());
  NoteTime();
  observer.OnCommit(progress_, root);
  return {};
}

// Whatever was to be written for an attempt that another process has taken over
// fails with kLost: it is dropped here, and the other one brings its node.
Result<void> Campaign::RunAttempt(AttemptRecord attempt, Observer& observer) {
  std::unique_lock lock(live_tree_.mutex());
  const store::Cap cap = ledger_.cap();
  const AgentContext agent_context{
      live_tree_,
      ledger_,
      options_.drain,
      [&](CallId call, std::int64_t tokens) { Hear(call, tokens, observer); },
      options_.outages,
      row_.spec.budget_attempts};
  lock.unlock();
  AttemptRunner runner(parts_, row_.id, row_.spec.seed, agent_context, queue_,
                       options_.confirm ? Proof::kFullTier : Proof::kNone);
  auto node = runner.Run(attempt);
  lock.lock();
  auto done = node.and_then([&](NodeRecord& evaluated) {
    return live_tree_.Commit(&attempt, evaluated);
  });
  if (!done) {
    const Errc code = done.error().code;
    if (code == Errc::kLost || (code == Errc::kCancelled && IsDraining())) {
      live_tree_.Leave(attempt);
      return {};
    }
    if (code == Errc::kSpent) {
      // Somebody may have given more meanwhile.
      TRY_DONE(HearPeople());
      if (ledger_.cap() == cap) return done;
      put_off_.push_back(std::move(attempt));
      return {};
    }
    if (code != Errc::kUnanswered) return done;
    TRY(pause_s, PutOff(std::move(attempt), done.error(), observer));
    lock.unlock();
    if (options_.outages != nullptr) {
      options_.outages->PauseInSilence(done.error().what, pause_s, failed_);
    }
    return {};
  }
  ++committed_here_;
  unanswered_ = 0;
  Count(node->evaluation);
  TRY_DONE(Refresh());
  NoteTime();
  observer.OnCommit(progress_, *node);
  return {};
}

// A provider that is away for longer than a call waits for it costs a place in
// the order, and a pause that grows while it stays away.
Result<double> Campaign::PutOff(AttemptRecord attempt, const Error& error,
                                Observer& observer) {
  if (!IsSilent()) {
    observer.OnUnanswered(progress_, attempt.reservation.decision, error);
  }
  put_off_.push_back(std::move(attempt));
  const int round = unanswered_++ / options_.parallel;
  if (!options_.model_failures ||
      unanswered_ < *options_.model_failures * options_.parallel) {
    return std::min(kFirstPause_s * std::exp2(round), kLongestPause_s);
  }
  std::string what = error.what;
  if (unanswered_ > 1) {
    what +=
        "; " + std::to_string(unanswered_) + " attempts in a row got no answer";
  }
  return Fail(error.code, what);
}

bool Campaign::IsSilent() const {
  return unanswered_ >= kBlindRounds * options_.parallel;
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

// One at a time, by whichever thread comes by: a kernel that may be right is
// of no use to anybody before it is decided.
Result<void> Campaign::SettleInPassing(Observer& observer) {
  std::vector<store::Nodes::Undecided> undecided;
  {
    const std::lock_guard lock(live_tree_.mutex());
    constexpr auto kNumber = static_cast<std::size_t>(Verdict::kInconclusive);
    const search::Tree& tree = live_tree_.tree();
    if (tree.Verdicts()[kNumber] == 0 || IsDraining() ||
        tree.Size() < settled_at_ + kSettleEvery) {
      return {};
    }
    settled_at_ = tree.Size();
    TRY_ASSIGN(undecided, store::Nodes(parts_.database).ReadUndecided(row_.id));
  }
  if (undecided.empty() || undecided.front().evaluations >= kMostEvaluations) {
    return {};
  }
  return Settle(undecided.front().node, observer);
}

Result<void> Campaign::Settle(NodeId undecided, Observer& observer) {
  TRY_DONE(EvaluateAgain(undecided, Tier::kFast, observer));
  const std::lock_guard lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  return Refresh();
}

Result<void> Campaign::EvaluateAgain(NodeId id, Tier tier, Observer& observer,
                                     std::optional<DirectiveId> asked) {
  store::Nodes nodes(parts_.database);
  std::unique_lock lock(live_tree_.mutex());
  observer.OnConfirm(progress_, id);
  TRY(node, nodes.Load(row_.id, id));
  lock.unlock();
  EvaluationQueue::Turn turn = queue_.Wait(parts_.task, *node.candidate);
  TRY(evaluation, turn.Evaluate(parts_.task, *node.candidate, tier));
  lock.lock();
  Count(evaluation);
  ++progress_.judged_again;
  return nodes.AddEvaluation(row_.id, id, evaluation,
                             parts_.clock.UnixSeconds(), asked);
}

// REQUIRES: nobody else counts now.
void Campaign::Count(const Evaluation& evaluation) {
  for (const WorkloadResult& workload : evaluation.workloads) {
    progress_.made_again += workload.discarded_samples;
  }
}

// The fastest of many noisy measurements is fast by luck as well, so whoever
// leads is measured in the longer full tier, until one that was still leads.
Result<Ending> Campaign::Confirm(Observer& observer) {
  TRY(turn, AwaitTurn());
  if (!turn) return Ending::kDrained;
  TRY(undecided, store::Nodes(parts_.database).ReadUndecided(row_.id));
  for (const auto& [node, evaluations] : undecided) {
    for (std::int64_t i = evaluations; i < kMostEvaluations; ++i) {
      if (IsDraining()) return Ending::kDrained;
      TRY_DONE(Settle(node, observer));
      constexpr auto kOpen = Verdict::kInconclusive;
      if (live_tree_.tree().Node(node).verdict != kOpen) break;
    }
  }
  for (int i = 0; i < kMostConfirmed; ++i) {
    TRY(leaders, store::ReadLeaders(parts_.database, row_.id, 1));
    const store::Leader& first = leaders.front();
    if (first.is_confirmed || first.line.node == kRootNode) break;
    if (IsDraining()) return Ending::kDrained;
    TRY_DONE(EvaluateAgain(first.line.node, Tier::kFull, observer));
  }
  TRY_DONE(live_tree_.CatchUp());
  TRY_DONE(Refresh());
  return Ending::kBudgetSpent;
}

Result<void> Campaign::Account(store::CampaignState state) {
  const double since = parts_.clock.Monotonic() - started_;
  store::Campaigns campaigns(parts_.database);
  TRY_DONE(campaigns.Update(row_.id, state, since - accounted_,
                            parts_.clock.UnixSeconds()));
  accounted_ = since;
  return {};
}

void Campaign::Hear(CallId call, std::int64_t tokens, Observer& observer) {
  std::unique_lock lock(live_tree_.mutex(), std::defer_lock);
  // Whoever waits for the database holds the mutex, perhaps for minutes; an
  // answer that comes meanwhile must be read, or its server gives it up.
  while (tokens > 0 && !lock.try_lock()) {
    if (options_.outages != nullptr && options_.outages->HoldsUpStore()) return;
    std::this_thread::sleep_for(kTryEvery);
  }
  if (!lock) lock.lock();
  if (tokens == 0) {
    coming_.erase(call);
  } else {
    coming_[call] = tokens;
  }
  progress_.answers_coming = static_cast<int>(coming_.size());
  progress_.tokens_come = 0;
  for (const auto& [other, come] : coming_) progress_.tokens_come += come;
  if (tokens > 0) observer.OnTokens(progress_);
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
  const double here = parts_.clock.Monotonic() - started_;
  if (row_.spec.budget_s && row_.elapsed_s + here >= *row_.spec.budget_s) {
    return true;
  }
  if (!parts_.budget_evaluator_s) return false;
  TRY(used_s, store::ReadEvaluatorSeconds(parts_.database, row_.id));
  return used_s >= *parts_.budget_evaluator_s;
}

Result<bool> Campaign::IsWorkLeft() const {
  TRY(limit, DecisionLimit());
  return live_tree_.tree().Size() == 0 || live_tree_.decisions() < limit ||
         live_tree_.HasForeign() || !put_off_.empty();
}

// What is told to whoever watches, by the tree as it is now.
Result<void> Campaign::Refresh() {
  const search::Tree& tree = live_tree_.tree();
  if (tree.Size() == 0) return {};
  progress_.attempts = tree.Size() - 1;
  progress_.verdicts = tree.Verdicts();
  --progress_.verdicts.at(
      static_cast<std::size_t>(tree.Node(kRootNode).verdict));
  progress_.root_runtime_s = tree.Node(kRootNode).runtime_s;
  TRY_ASSIGN(progress_.nothing_left, EndsWithNothingLeft());
  const NodeId best = tree.Best().value_or(kRootNode);
  progress_.since_gain = progress_.attempts - Index(best);
  if (best == progress_.best && live_tree_.further() == further_shown_)
    return {};
  TRY(line, store::ReadLine(parts_.database, row_.id, best));
  progress_.best = best;
  if (line.speedup) progress_.best_speedup = *line.speedup;
  further_shown_ = live_tree_.further();
  return {};
}

// The last node tells, so that every process knows, also after a crash.
Result<bool> Campaign::EndsWithNothingLeft() {
  const search::Tree& tree = live_tree_.tree();
  const NodeId last{tree.Size() - 1};
  if (tree.Node(last).verdict != Verdict::kNoCandidate) return false;
  TRY(node, store::Nodes(parts_.database).Load(row_.id, last));
  return node.evaluation.log == kNothingLeft;
}

void Campaign::NoteTime() {
  const double here = parts_.clock.Monotonic() - started_;
  progress_.elapsed_s = row_.elapsed_s + here;
  if (committed_here_ == 0) return;
  const auto left =
      static_cast<double>(row_.spec.budget_attempts - progress_.attempts);
  double left_s = here / static_cast<double>(committed_here_) * left;
  if (row_.spec.budget_s) {
    left_s = std::min(left_s, *row_.spec.budget_s - progress_.elapsed_s);
  }
  progress_.left_s = std::max(left_s, 0.0);
}

}  // namespace coppice::engine
