// How what was told is judged: by this process, or another.
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/campaign/agent_context.h"
#include "engine/campaign/attempt.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "engine/process/clock.h"
#include "store/records/node.h"
#include "store/records/ticket.h"
#include "store/write/attempts.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

// Used time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

// How often one looks whether another process has judged something.
constexpr std::chrono::milliseconds kLookEvery(20);

}  // namespace

// REQUIRES: the attempt is ours, and coded.  Should another take it over, that
// one brings its node.
Result<void> TicketIssuer::Judge(AttemptRecord attempt,
                                 const std::stop_token& stop) {
  std::unique_lock lock(live_tree_.mutex());
  AgentContext agent_context = AgentContextNow();
  agent_context.cut = options_.cut;
  agent_context.stop = stop;
  CountTime();
  ++judging_;
  lock.unlock();
  AttemptRunner runner(parts_, row_.id, row_.spec.seed, agent_context, queue_,
                       options_.confirm ? Proof::kFullTier : Proof::kNone);
  auto node = runner.Run(attempt);
  lock.lock();
  const auto done = node.and_then([&](NodeRecord& evaluated) {
    return live_tree_.Commit(&attempt, evaluated);
  });
  CountTime();
  --judging_;
  if (!done) return SetAside(attempt, done.error());
  return used_s_ < kAccountEvery_s ? Result<void>() : Account();
}

// Nobody's in the file, so that other processes try; of those that are not to
// be adopted on the live tree, as if it were ours.  What was cut may be
// adopted.
Result<void> TicketIssuer::SetAside(const AttemptRecord& attempt,
                                    const Error& fault) {
  auto left =
      fault.code == Errc::kLost
          ? Result<void>(tl::unexpected<Error>(fault))
          : store::Attempts(parts_.database)
                .HandOver(attempt.AsHeld(), "", parts_.clock.UnixSeconds());
  if (left && fault.code != Errc::kCancelled) {
    faults_.insert_or_assign(attempt.id, fault);
    return {};
  }
  live_tree_.Leave(attempt);
  if (left) return {};
  if (left.error().code == Errc::kLost) return {};
  return left;
}

// REQUIRES, as the next: the live tree's mutex is held.
void TicketIssuer::CountTime() {
  const double now_s = parts_.clock.Monotonic();
  if (judging_ > 0) used_s_ += now_s - counted_s_;
  counted_s_ = now_s;
}

Result<void> TicketIssuer::Account() {
  if (used_s_ == 0.0) return {};
  auto stored = Group([&]() -> Result<void> {
    store::Campaigns campaigns(parts_.database);
    TRY(row, campaigns.Find(row_.spec.name));
    return campaigns.Update(row_.id, row.state, used_s_,
                            parts_.clock.UnixSeconds());
  });
  if (stored) used_s_ = 0.0;
  return stored;
}

// Any process may judge it: one that dies over it is stood in for.
Result<void> TicketIssuer::AwaitNode(AttemptId attempt,
                                     const std::stop_token& stop) {
  for (;;) {
    {
      const std::lock_guard lock(live_tree_.mutex());
      TRY(node, store::Tickets(parts_.database).NodeOf(attempt));
      if (node) return {};
      const auto fault = faults_.find(attempt);
      if (fault != faults_.end()) return tl::unexpected<Error>(fault->second);
      if (IsDraining()) return {};
    }
    if (stop.stop_requested()) {
      return Fail(Errc::kCancelled,
                  "cancelled: it is told, and judged by whoever asks or tells "
                  "next");
    }
    TRY_DONE(JudgeOrphans(stop));
    std::this_thread::sleep_for(kLookEvery);
  }
}

// Judges what was told, unless another does, and says what came of it.
Result<Receipt> TicketIssuer::Finish(const Ticket& ticket, Judging judging,
                                     const std::stop_token& stop) {
  if (judging == Judging::kHere) {
    std::optional<AttemptRecord> ours;
    {
      const std::lock_guard lock(live_tree_.mutex());
      TRY(attempt, store::Attempts(parts_.database).Load(ticket.attempt));
      // What could not be judged is tried once more.
      if (faults_.erase(attempt.id) > 0) live_tree_.Leave(attempt);
      const bool is_ours = attempt.stage == Stage::kCoded &&
                           attempt.reservation.lease_owner == owner_;
      if (is_ours && live_tree_.Take(attempt)) ours = std::move(attempt);
    }
    if (ours) TRY_DONE(Judge(*std::move(ours), stop));
    // A plan alone makes no node.
    if (ticket.told_sha256 != Told{}.EndDigest()) {
      TRY_DONE(AwaitNode(ticket.attempt, stop));
    }
  }
  const std::lock_guard lock(live_tree_.mutex());
  return ReceiptOf(ticket);
}

}  // namespace coppice::engine
