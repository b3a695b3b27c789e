// The attempts in flight: whose they are, and how they end.
#include <algorithm>
#include <utility>

#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/node_behaviour.h"
#include "engine/campaign/process_lock.h"
#include "engine/process/clock.h"
#include "store/care/maintenance.h"
#include "store/records/node.h"
#include "store/records/node_summary.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"

namespace coppice::engine {

Result<void> LiveTree::EndOrphans() {
  return store::EndOrphans(parts_.database, parts_.clock.UnixSeconds(),
                           [this](const std::string& owner) {
                             return ProcessLock::IsAlive(terms_.database,
                                                         owner);
                           })
      .map([](const auto&) {});
}

Result<std::optional<AttemptRecord>> LiveTree::AdoptOrphan(
    Orphans orphans, const Wanted& wanted, const TicketTerms* ticket) {
  TRY_DONE(CatchUp());
  if (!HasForeign()) return std::optional<AttemptRecord>();
  store::Attempts attempts(parts_.database);
  TRY(leases, attempts.Leases(campaign_));
  std::map<std::string, bool> lives;
  for (const store::Lease& lease : leases) {
    const auto flight = in_flight_.find(lease.decision);
    if (flight == in_flight_.end() || flight->second.is_ours) continue;
    if (wanted && !wanted(lease.stage, flight->second.parent)) continue;
    if (!lives.contains(lease.owner)) {
      TRY_ASSIGN(lives[lease.owner],
                 ProcessLock::IsAlive(terms_.database, lease.owner));
    }
    const double now = parts_.clock.UnixSeconds();
    const bool waits_for_its_time = orphans == Orphans::kStoppedToo ||
                                    lease.owner.starts_with(kTicketOwner);
    if (lives[lease.owner] && (!waits_for_its_time || lease.until_s > now)) {
      continue;
    }
    auto adopted =
        attempts.Adopt(lease.attempt, ticket ? ticket->owner : terms_.owner,
                       now, now + (ticket ? ticket->lease_s : terms_.lease_s),
                       lives[lease.owner] ? "" : lease.owner);
    if (!adopted && adopted.error().code == Errc::kBusy) continue;
    if (adopted) flight->second.is_ours = ticket == nullptr;
    return std::move(adopted).map([](AttemptRecord&& attempt) {
      return std::optional(std::move(attempt));
    });
  }
  return std::optional<AttemptRecord>();
}

std::int64_t LiveTree::EarlierAttempts(std::int64_t decision) const {
  const auto flight = in_flight_.find(decision);
  return flight == in_flight_.end() ? 0 : flight->second.earlier;
}

bool LiveTree::Take(const AttemptRecord& attempt) {
  const auto flight = in_flight_.find(attempt.reservation.decision);
  if (flight == in_flight_.end()) return false;
  return !std::exchange(flight->second.is_ours, true);
}

void LiveTree::Leave(const AttemptRecord& attempt) {
  const auto flight = in_flight_.find(attempt.reservation.decision);
  if (flight != in_flight_.end()) flight->second.is_ours = false;
}

bool LiveTree::HasForeign() const {
  return std::ranges::any_of(
      in_flight_, [](const auto& flight) { return !flight.second.is_ours; });
}

Result<void> LiveTree::Commit(const AttemptRecord* attempt, NodeRecord& node) {
  store::Nodes stored(parts_.database);
  const auto holding =
      attempt ? std::optional(attempt->AsHeld()) : std::nullopt;
  for (;;) {
    TRY_DONE(CatchUp());
    node.id = NodeId{nodes()};
    node.behaviour = BehaviourOf(node);
    auto committed =
        stored.Commit(campaign_, holding, node, parts_.clock.UnixSeconds());
    if (committed) {
      TRY_DONE(CatchUp());
      node.worth.verdict = Node(node.id).verdict;
      return {};
    }
    if (committed.error().code != Errc::kBusy) return committed;
    TRY_DONE(CatchUp());
    if (NodeId{nodes()} == node.id) return committed;
  }
}

}  // namespace coppice::engine
