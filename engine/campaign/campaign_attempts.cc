// One attempt of a campaign: run to its commit, or put off.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/campaign/agent_context.h"
#include "engine/campaign/attempt.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/outages.h"
#include "store/records/attempt.h"
#include "store/records/node.h"

namespace coppice::engine {
namespace {

constexpr std::chrono::milliseconds kTryEvery(1);

// Rounds without an answer, one for each attempt at the same time, after which
// the attempts that wait for one are tried again before others are begun: what
// is selected meanwhile is selected blindly.
constexpr int kBlindRounds = 3;

// The pause after the k-th round, k = 0, 1, ..., is the first times 2^k.
constexpr double kFirstPause_s = 0.5;
constexpr double kLongestPause_s = 300.0;

}  // namespace

// Whatever was to be written for an attempt that another process has taken over
// fails with kLost: it is dropped here, and the other one brings its node.
Result<void> Campaign::RunAttempt(AttemptRecord attempt, Observer& observer) {
  std::unique_lock lock(live_tree_.mutex());
  const store::Cap cap = ledger_.caps().campaign;
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
      if (ledger_.caps().campaign == cap) return done;
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

}  // namespace coppice::engine
