#include "engine/outside/ticket_issuer.h"

#include <mutex>
#include <utility>

#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/evaluation_queue.h"
#include "engine/campaign/lease_keeper.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/process_lock.h"
#include "store/records/ticket.h"
#include "store/write/attempts.h"
#include "store/write/shared_transaction.h"
#include "store/write/tickets.h"

namespace coppice::engine {

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
  TRY_ASSIGN(ticket_issuer->limits_, ticket_issuer->live_tree_.LimitsInForce());
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

Result<Ticket> TicketIssuer::FindTicket(const Uuid& uuid) {
  TRY(ticket, store::Tickets(parts_.database).Find(uuid));
  if (ticket.campaign == row_.id) return ticket;
  return Fail(Errc::kUsage, "ticket " + ToString(uuid) +
                                " is of another campaign than " +
                                row_.spec.name);
}

}  // namespace coppice::engine
