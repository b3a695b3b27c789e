// What is read of a ticket, and given to its agent: the offer, and the receipt.
#include <algorithm>
#include <cmath>
#include <utility>

#include "agents/prompt/request_options.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/outside/held_attempt.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/utf8.h"
#include "store/write/attempts.h"
#include "store/write/nodes.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

// Nothing is known of what nobody could decide.
Reward RewardOf(const NodeRecord& node, const std::optional<Speedup>& speedup,
                const std::optional<Speedup>& parent,
                const std::optional<Speedup>& best) {
  Reward reward;
  const Verdict verdict = node.worth.verdict;
  if (verdict == Verdict::kInconclusive) return reward;
  reward.novel = node.candidate.has_value() && !node.same_as;
  reward.compiled =
      verdict != Verdict::kCompileFailed && verdict != Verdict::kNoCandidate;
  reward.confirmed = node.worth.is_confirmed;
  const auto& workloads = node.evaluation.workloads;
  const auto right =
      std::ranges::count(workloads, Verdict::kPassed, &WorkloadResult::verdict);
  reward.correct_fraction =
      workloads.empty()
          ? 0.0
          : static_cast<double>(right) / static_cast<double>(workloads.size());
  if (!speedup) return reward;
  reward.correct_fraction = 1.0;
  reward.log_speedup = std::log(speedup->ratio);
  reward.interval = speedup->interval;
  if (parent) reward.vs_parent = Over(*speedup, *parent).ratio;
  if (best) reward.vs_best = Over(*speedup, *best).ratio;
  for (const WorkloadResult& workload : workloads) {
    if (!workload.floor_s || *workload.floor_s <= 0.0 ||
        workload.samples_s.empty()) {
      continue;
    }
    const double ratio = Median(workload.samples_s) / *workload.floor_s;
    reward.floor_ratio = std::min(reward.floor_ratio.value_or(ratio), ratio);
  }
  return reward;
}

}  // namespace

Result<TicketIssuer::Held> TicketIssuer::FindHeld(const Ticket& ticket) {
  Held open;
  open.ticket = ticket;
  TRY_ASSIGN(open.attempt,
             store::Attempts(parts_.database).Load(ticket.attempt));
  open.attempt.epoch = ticket.epoch;
  TRY(parent, store::Nodes(parts_.database)
                  .Load(row_.id, open.attempt.reservation.parent));
  if (parent.candidate)
    open.parent_source = std::move(parent.candidate->source);
  open.parent_plan = std::move(parent.plan);
  TRY_ASSIGN(open.call, store::Tickets(parts_.database).FindCall(ticket));
  return open;
}

Result<TicketOffer> TicketIssuer::OfferOf(const Ticket& ticket) {
  TRY(attempt, store::Attempts(parts_.database).Load(ticket.attempt));
  store::Tickets tickets(parts_.database);
  TRY(call, tickets.FindCall(ticket));
  TRY(shown, tickets.ShownIn(call.call));
  TicketOffer offer;
  offer.ticket = ticket;
  offer.role = call.role;
  offer.decision = attempt.reservation.decision;
  offer.parent = attempt.reservation.parent;
  offer.policy = attempt.reservation.policy;
  offer.reason = attempt.reservation.reason;
  offer.system_prompt = std::move(call.system_prompt);
  offer.user_prompt = std::move(call.user_prompt);
  const bool is_marked =
      call.role == Role::kPlan &&
      parts_.request_options.grounding != agents::Grounding::kOff;
  offer.anchors = is_marked ? "required" : "none";
  store::Nodes nodes(parts_.database);
  for (store::Tickets::Shown& each : shown) {
    TRY(node, nodes.Load(row_.id, each.node));
    TRY(line, store::ReadLine(parts_.database, row_.id, each.node));
    Seen seen;
    seen.node = each.node;
    seen.kinship = std::move(each.kinship);
    if (node.candidate) seen.source = std::move(node.candidate->source);
    seen.verdict = line.verdict;
    seen.speedup = line.speedup;
    seen.log_head = HeadOf(node.evaluation.log);
    if (is_marked && each.node == offer.parent) offer.annotate = seen.source;
    offer.window.push_back(std::move(seen));
  }
  return offer;
}

Result<Receipt> TicketIssuer::ReceiptOf(const Ticket& known) {
  TRY(ticket, FindTicket(known.uuid));
  Receipt receipt;
  TRY(attempt, store::Attempts(parts_.database).Load(ticket.attempt));
  receipt.stage = attempt.stage;
  const bool is_planned =
      ticket.state == TicketState::kOpen && attempt.stage == Stage::kPlanned;
  if (is_planned) {
    TRY_ASSIGN(receipt.next, OfferOf(ticket));
  }
  receipt.ticket = std::move(ticket);
  TRY(leaders, store::ReadLeaders(parts_.database, row_.id, 1));
  if (!leaders.empty()) receipt.best_speedup = leaders.front().line.speedup;
  TRY(number, store::Tickets(parts_.database).NodeOf(attempt.id));
  if (!number) return receipt;
  TRY(node, store::Nodes(parts_.database).Load(row_.id, *number));
  TRY(line, store::ReadLine(parts_.database, row_.id, *number));
  TRY(parent,
      store::ReadLine(parts_.database, row_.id, attempt.reservation.parent));
  TRY(best, store::ReadBestOf(parts_.database, row_.id, Index(*number)));
  receipt.node = number;
  receipt.verdict = line.verdict;
  receipt.speedup = line.speedup;
  receipt.log_head = HeadOf(node.evaluation.log);
  receipt.reward = RewardOf(node, line.speedup, parent.speedup, best.speedup);
  return receipt;
}

}  // namespace coppice::engine
