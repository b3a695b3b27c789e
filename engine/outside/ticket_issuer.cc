#include "engine/outside/ticket_issuer.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/campaign/attempt.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/lease_keeper.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/process_lock.h"
#include "engine/steering/steering.h"
#include "store/records/node.h"
#include "store/records/ticket.h"
#include "store/write/attempts.h"
#include "store/write/directives.h"
#include "store/write/nodes.h"
#include "store/write/shared_transaction.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

// Used time is stored at most this often: a transaction is not free.
constexpr double kAccountEvery_s = 5.0;

// How often one looks whether another process has judged something.
constexpr std::chrono::milliseconds kLookEvery(20);

}  // namespace

struct TicketIssuer::Shared {
  Shared(const CampaignParts& parts, const store::CampaignRow& row,
         LeaseTerms terms)
      : queue(parts.stations, parts.clock, {}),
        live_tree(parts, row, std::move(terms)),
        ledger(parts, live_tree.mutex()) {}

  std::optional<ProcessLock> process_lock;
  EvaluationQueue queue;
  LiveTree live_tree;
  Ledger ledger;
  std::optional<LeaseKeeper> keeper;
};

TicketIssuer::TicketIssuer(const CampaignParts& parts, store::CampaignRow row,
                           Options options)
    : parts_(parts),
      row_(std::move(row)),
      options_(std::move(options)),
      owner_(ToString(FreshUuid(parts.clock))),
      shared_(std::make_unique<Shared>(
          parts, row_,
          LeaseTerms{options_.database, owner_, options_.lease_s})),
      queue_(shared_->queue),
      live_tree_(shared_->live_tree),
      ledger_(shared_->ledger) {}

TicketIssuer::~TicketIssuer() {
  const std::lock_guard lock(live_tree_.mutex());
  (void)Account();  // There is nobody to be told.
}

Result<std::unique_ptr<TicketIssuer>> TicketIssuer::Open(
    const CampaignParts& parts, store::CampaignRow row, Options options) {
  std::unique_ptr<TicketIssuer> ticket_issuer(
      new TicketIssuer(parts, std::move(row), std::move(options)));
  TRY(process_lock,
      ProcessLock::Join(ticket_issuer->options_.database,
                        ticket_issuer->row_.id, ticket_issuer->owner_));
  ticket_issuer->shared_->process_lock.emplace(std::move(process_lock));
  ticket_issuer->shared_->keeper.emplace(
      ticket_issuer->options_.database, ticket_issuer->row_.id,
      ticket_issuer->owner_, ticket_issuer->options_.lease_s, parts.clock);
  const std::lock_guard lock(ticket_issuer->live_tree_.mutex());
  TRY_DONE(ticket_issuer->live_tree_.EndOrphans());
  TRY_DONE(ticket_issuer->live_tree_.Rebuild());
  // Those of before are in its parts already.
  TRY(earlier, store::ReadDirectives(parts.database, ticket_issuer->row_.id));
  for (const Directive* each :
       InForce(earlier, ticket_issuer->live_tree_.decisions())) {
    if (each->kind == DirectiveKind::kBudget) {
      ticket_issuer->limits_.insert(each->id);
    }
  }
  return ticket_issuer;
}

bool TicketIssuer::IsDraining() const {
  return options_.drain != nullptr && options_.drain->load();
}

AgentContext TicketIssuer::AgentContextNow() {
  return {live_tree_,       ledger_,
          options_.drain,   [](CallId, std::int64_t) {},
          options_.outages, row_.spec.budget_attempts};
}

// What is undone in the file is undone on the live tree.
Result<void> TicketIssuer::Group(const std::function<Result<void>()>& body) {
  bool has_run = false;
  auto done =
      store::InSharedTransaction(parts_.database, [&]() -> Result<void> {
        if (std::exchange(has_run, true)) TRY_DONE(live_tree_.Rebuild());
        return body();
      });
  if (!done) TRY_DONE(live_tree_.Rebuild());
  return done;
}

Result<bool> TicketIssuer::IsDone() {
  const std::lock_guard lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  TRY(room, FindRoom());
  TRY(in_flight, store::Tickets(parts_.database).CountInFlight(row_.id));
  return room.is_spent && in_flight.attempts == 0;
}

Result<void> TicketIssuer::JudgeOrphans(const std::stop_token& stop) {
  while (!IsDraining() && !stop.stop_requested()) {
    const auto adopt = [&] {
      const std::lock_guard lock(live_tree_.mutex());
      return live_tree_.AdoptOrphan(
          shared_->keeper->IsSteady() ? Orphans::kStoppedToo : Orphans::kDead,
          [](Stage stage, NodeId) { return stage == Stage::kCoded; });
    };
    TRY(orphan, adopt());
    if (!orphan) return {};
    TRY_DONE(Judge(*std::move(orphan), stop));
  }
  return {};
}

Result<bool> TicketIssuer::HasOrphans() {
  const std::lock_guard lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  if (!live_tree_.HasForeign()) return false;
  TRY(leases, store::Attempts(parts_.database).Leases(row_.id));
  for (const store::Lease& lease : leases) {
    if (lease.stage != Stage::kCoded || lease.owner == owner_ ||
        faults_.contains(lease.attempt)) {
      continue;
    }
    if (lease.until_s <= parts_.clock.UnixSeconds()) return true;
    TRY(is_alive, ProcessLock::IsAlive(options_.database, lease.owner));
    if (!is_alive) return true;
  }
  return false;
}

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

}  // namespace coppice::engine
