// What becomes of what an agent tells.
#include <algorithm>
#include <mutex>
#include <utility>

#include "agents/prompt/grounded_instructions.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/outside/held_attempt.h"
#include "engine/outside/submitted_answer.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "engine/process/clock.h"
#include "store/records/node_summary.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

Error AlreadyTold(const Ticket& ticket, std::string_view what) {
  return {Errc::kUsage, "already told: ticket " + ToString(ticket.uuid) +
                            " has another " + std::string(what)};
}

}  // namespace

Result<Understood> TicketIssuer::Read(const Held& open, const Told& told) {
  TRY(rules, live_tree_.RulesOn(open.attempt));
  const Matters matters{
      parts_.task,    open.parent_source, parts_.request_options.grounding,
      rules.in_force, open.call.role,     open.ticket.roles};
  return Understand(told, matters);
}

Result<Receipt> TicketIssuer::Tell(const Uuid& uuid, const Told& told,
                                   Judging judging,
                                   const std::stop_token& stop) {
  std::unique_lock lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  TRY(ticket, FindTicket(uuid));
  if (ticket.state == TicketState::kTold) {
    lock.unlock();
    return ToldBefore(ticket, told, judging, stop);
  }
  if (ticket.state == TicketState::kGivenUp) {
    return Fail(Errc::kUsage,
                "ticket " + ToString(uuid) + " was given up: ask for another");
  }
  if (ticket.state == TicketState::kLost) return Lost(ticket, told);
  Told rest = told;
  if (told.plan && !ticket.plan_sha256.empty()) {
    if (told.PlanDigest() != ticket.plan_sha256) {
      return tl::unexpected<Error>(AlreadyTold(ticket, "plan"));
    }
    rest.plan.reset();
    if (!rest.IsEnd()) return ReceiptOf(ticket);
  }
  const auto taken = TakeIn(ticket, rest, judging);
  if (!taken) {
    TRY(now, FindTicket(uuid));
    // Another process was told the same at the same time.
    if (now.state != ticket.state || now.plan_sha256 != ticket.plan_sha256) {
      lock.unlock();
      return Tell(uuid, told, judging, stop);
    }
    if (taken.error().code == Errc::kLost) return Lost(ticket, told);
    return tl::unexpected<Error>(taken.error());
  }
  if (!rest.IsEnd()) return ReceiptOf(ticket);
  TRY(now, FindTicket(uuid));
  lock.unlock();
  return Finish(now, judging, stop);
}

Result<void> TicketIssuer::TakeIn(const Ticket& ticket, const Told& told,
                                  Judging judging) {
  TRY(open, FindHeld(ticket));
  auto understood = Read(open, told);
  if (!understood) {
    TRY_DONE(Charge(open, told, understood.error()));
    return tl::unexpected<Error>(std::move(understood).error());
  }
  return Group([&]() -> Result<void> {
    TRY(again, FindHeld(ticket));
    if (again.call.call != open.call.call) {
      return tl::unexpected<Error>(AlreadyTold(ticket, "answer"));
    }
    return Take(again, told, *understood, judging);
  });
}

Result<Receipt> TicketIssuer::ToldBefore(const Ticket& ticket, const Told& told,
                                         Judging judging,
                                         const std::stop_token& stop) {
  if (told.IsEnd() && told.EndDigest() != ticket.told_sha256) {
    return tl::unexpected<Error>(AlreadyTold(ticket, "candidate"));
  }
  if (told.plan && told.PlanDigest() != ticket.plan_sha256) {
    return tl::unexpected<Error>(AlreadyTold(ticket, "plan"));
  }
  return Finish(ticket, judging, stop);
}

// What its answer has cost is written nevertheless.
Result<Receipt> TicketIssuer::Lost(const Ticket& ticket, const Told& told) {
  store::Tickets tickets(parts_.database);
  TRY(extra, tickets.ExtraOf(ticket.id));
  // A plan that it had told in time was charged then.
  const bool was_in_time =
      told.plan && !told.IsEnd() && told.PlanDigest() == ticket.plan_sha256;
  if (!extra && !was_in_time && told.use.IsAnything()) {
    TRY_DONE(CheckUse(told.use));
    TRY(open, FindHeld(ticket));
    const auto noted = store::Calls(parts_.database)
                           .End(open.call.call, EndOf(open, "late", &told.use));
    // It is lost, and was charged now, or when it was told so before.
    if (!noted && noted.error().code != Errc::kLost &&
        noted.error().code != Errc::kUsage) {
      return tl::unexpected<Error>(noted.error());
    }
  }
  return Fail(Errc::kLost,
              "the lease of ticket " + ToString(ticket.uuid) +
                  " ran out, and another has taken its attempt over: tell it "
                  "as an extra, or ask for another");
}

CallEnd TicketIssuer::EndOf(const Held& open, const std::string& answer,
                            const ClaimedUse* use) const {
  CallEnd end;
  end.answer = answer;
  end.ended_at_s = parts_.clock.UnixSeconds();
  end.latency_s = end.ended_at_s - open.call.sent_at_s;
  EndedWireCall& wire = end.wire.emplace();
  wire.call = open.call.wire;
  wire.end.ended_at_s = end.ended_at_s;
  wire.end.latency_s = end.latency_s;
  wire.end.price_version = kClaimedPrice;
  if (use == nullptr) return end;
  wire.end.usage = use->usage;
  wire.end.cost_usd = use->cost_usd;
  if (!use->model.empty()) wire.end.served_model = use->model;
  return end;
}

// What a refused answer has cost is charged once, as one of ours would be that
// could not be read, and the question is put again.
Result<void> TicketIssuer::Charge(Held& open, const Told& told,
                                  const Error& fault) {
  if (!told.use.IsAnything() || !CheckUse(told.use)) return {};
  const std::string answer =
      told.source ? *told.source
                  : told.plan.value_or(told.none_reason.value_or(""));
  if (answer.size() > kMostOfATold_bytes) return {};
  store::Calls calls(parts_.database);
  TRY(rejected, calls.LastRejected(open.attempt.id, open.call.role));
  const bool is_charged =
      rejected && rejected->answer == answer && rejected->fault == fault.what;
  if (is_charged) return {};
  return Group([&]() -> Result<void> {
    CallEnd end = EndOf(open, answer, &told.use);
    end.error = fault.what;
    TRY_DONE(calls.End(open.call.call, end));
    return GoOn(open, open.call.role, told.use);
  });
}

Result<void> TicketIssuer::GoOn(const Held& open, Role role,
                                const ClaimedUse& use) {
  auto left_usd = open.ticket.max_cost_usd;
  if (left_usd) {
    left_usd = std::max(*left_usd - use.cost_usd.value_or(0.0), 0.0);
  }
  return PutUnder({}, role, open.ticket, open.attempt, left_usd);
}

// REQUIRES: in a group.
Result<void> TicketIssuer::Take(Held& open, const Told& told,
                                Understood understood, Judging judging) {
  if (understood.plan) {
    const CallEnd end =
        EndOf(open, *told.plan, told.IsEnd() ? nullptr : &told.use);
    TRY_DONE(store::Calls(parts_.database)
                 .EndWithPlan(open.call.call, end, *understood.plan));
    store::Tickets tickets(parts_.database);
    TRY_DONE(tickets.NotePlan(open.ticket.id, told.PlanDigest()));
    open.attempt.stage = Stage::kPlanned;
    open.attempt.plan = std::move(understood.plan);
    if (!open.ticket.roles.Has(Role::kCode)) {
      TRY_DONE(tickets.NoteTold(open.ticket.id, told.EndDigest(),
                                parts_.clock.UnixSeconds()));
      return store::Attempts(parts_.database)
          .Release(open.ticket.AsHeld(), parts_.clock.UnixSeconds());
    }
    TRY_DONE(GoOn(open, Role::kCode, told.IsEnd() ? ClaimedUse{} : told.use));
    TRY_ASSIGN(open.call, tickets.FindCall(open.ticket));
  }
  if (!told.IsEnd()) return {};
  return End(open, told, understood.candidate, told.none_reason.value_or(""),
             judging);
}

// The end of the ticket: the attempt is coded, and ours to judge, or nobody's.
Result<void> TicketIssuer::End(Held& open, const Told& told,
                               const std::optional<Candidate>& candidate,
                               const std::string& none_reason,
                               Judging judging) {
  store::Calls calls(parts_.database);
  const CallEnd end =
      EndOf(open, candidate ? *told.source : none_reason, &told.use);
  if (candidate) {
    // Who repairs still tries to realise the parent's plan.
    const auto& plan =
        open.call.role == Role::kDebug ? open.parent_plan : open.attempt.plan;
    EditFootprint footprint;
    if (plan) {
      footprint =
          agents::MeasureEdits(plan->annotated_source, candidate->source);
    }
    TRY_DONE(
        calls.EndWithCandidate(open.call.call, end, *candidate, footprint));
  } else {
    TRY_DONE(calls.EndWithoutCandidate(open.call.call, end, none_reason));
  }
  const double now_s = parts_.clock.UnixSeconds();
  TRY_DONE(store::Tickets(parts_.database)
               .NoteTold(open.ticket.id, told.EndDigest(), now_s));
  const bool is_ours = judging == Judging::kHere;
  return store::Attempts(parts_.database)
      .HandOver(open.ticket.AsHeld(), is_ours ? owner_ : "",
                is_ours ? now_s + options_.lease_s : now_s);
}

Result<Receipt> TicketIssuer::TellAsExtra(const Uuid& uuid, const Told& told,
                                          Judging judging,
                                          const std::stop_token& stop) {
  std::unique_lock lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  TRY(lost, FindTicket(uuid));
  Told rest = told;
  rest.plan.reset();
  store::Tickets tickets(parts_.database);
  TRY(before, tickets.ExtraOf(lost.id));
  if (before) {
    lock.unlock();
    return ToldBefore(*before, rest, judging, stop);
  }
  if (lost.state != TicketState::kLost) {
    return Fail(Errc::kUsage, "ticket " + ToString(uuid) + " is " +
                                  std::string(Name(lost.state)) +
                                  ", not lost: tell it as itself");
  }
  if (!told.source) {
    return Fail(Errc::kUsage, "an extra is a source: give one");
  }
  TRY(room, FindRoom());
  if (!room.none_because.empty()) {
    return Fail(room.is_spent ? Errc::kSpent : Errc::kBusy, room.none_because);
  }
  TRY(is_charged, tickets.IsChargedLate(lost));
  if (is_charged) rest.use = {};
  TRY(old, store::Attempts(parts_.database).Load(lost.attempt));
  Ticket ticket = lost;
  ticket.uuid = FreshUuid(parts_.clock);
  ticket.request.reset();
  ticket.late_for = lost.id;
  ticket.asked_at_s = parts_.clock.UnixSeconds();
  const double lease_s = lost.deadline_s - lost.asked_at_s;
  ticket.deadline_s = ticket.asked_at_s + lease_s;
  const auto taken = Group([&]() -> Result<void> {
    const TicketTerms terms{ticket.LeaseOwner(), lease_s,
                            old.reservation.parent,
                            "late, told by " + lost.agent};
    TRY(attempt, live_tree_.Reserve(room.limit, &terms));
    if (!attempt) return Fail(Errc::kSpent, "the budget is spent");
    ticket.attempt = attempt->id;
    ticket.epoch = attempt->epoch;
    TRY_ASSIGN(ticket.id, tickets.Issue(ticket));
    // A source needs no plan.
    const Role role = RoleOf(attempt->stage, old.reservation.parent);
    TRY_DONE(PutQuestionTo(role == Role::kPlan ? Role::kCode : role, ticket,
                           *attempt, ticket.max_cost_usd));
    TRY(open, FindHeld(ticket));
    TRY(understood, Read(open, rest));
    return Take(open, rest, std::move(understood), judging);
  });
  TRY_DONE(taken);
  TRY(now, FindTicket(ticket.uuid));
  lock.unlock();
  return Finish(now, judging, stop);
}

Result<Ticket> TicketIssuer::Renew(const Uuid& uuid, double lease_s) {
  const std::lock_guard lock(live_tree_.mutex());
  TRY(ticket, FindTicket(uuid));
  if (ticket.state == TicketState::kLost) {
    return Fail(Errc::kLost, "the lease of ticket " + ToString(uuid) +
                                 " ran out, and another has its attempt");
  }
  if (ticket.state != TicketState::kOpen) {
    return Fail(Errc::kUsage, "ticket " + ToString(uuid) + " is " +
                                  std::string(Name(ticket.state)) +
                                  ": its lease is over");
  }
  TRY_DONE(CheckLease(lease_s));
  TRY_DONE(store::Tickets(parts_.database)
               .Extend(ticket, parts_.clock.UnixSeconds() + lease_s));
  return FindTicket(uuid);
}

Result<Receipt> TicketIssuer::GiveUp(const Uuid& uuid,
                                     const std::string& reason,
                                     Judging judging) {
  {
    const std::lock_guard lock(live_tree_.mutex());
    TRY_DONE(live_tree_.CatchUp());
    TRY(ticket, FindTicket(uuid));
    if (ticket.state != TicketState::kOpen) return ReceiptOf(ticket);
    store::Tickets tickets(parts_.database);
    TRY(has_claimed, tickets.HasClaimed(ticket));
    if (!has_claimed) {
      const auto released = Group([&]() -> Result<void> {
        TRY(open, FindHeld(ticket));
        CallEnd end = EndOf(open, "", nullptr);
        end.outcome = CallOutcome::kFailed;
        end.error = "given up: " + reason;
        end.wire->end.outcome = CallOutcome::kFailed;
        end.wire->end.error = end.error;
        const double now_s = parts_.clock.UnixSeconds();
        TRY_DONE(store::Calls(parts_.database).End(open.call.call, end));
        TRY_DONE(tickets.NoteGivenUp(ticket.id, now_s));
        return store::Attempts(parts_.database).Release(ticket.AsHeld(), now_s);
      });
      TRY_DONE(released);
      TRY(now, FindTicket(uuid));
      return ReceiptOf(now);
    }
  }
  Told none;
  none.none_reason = "given up: " + reason;
  return Tell(uuid, none, judging);
}

}  // namespace coppice::engine
