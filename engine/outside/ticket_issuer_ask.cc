// How an attempt comes to an agent: one that another has left, or the next
// decision.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <utility>

#include "config/settings.h"
#include "engine/campaign/agent_choice.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/progress.h"
#include "engine/campaign/stop_rules.h"
#include "engine/outside/submitted_answer.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "engine/process/clock.h"
#include "engine/steering/steering.h"
#include "store/read/history.h"
#include "store/read/progress_curve.h"
#include "store/records/node_summary.h"
#include "store/records/ticket.h"
#include "store/write/attempts.h"
#include "store/write/tickets.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {
namespace {

constexpr int kMostAtOnce = 64;
constexpr std::size_t kMostOfAName = 80;
constexpr std::chrono::milliseconds kAskEvery(20);

// A name stands in reasons, tables and owners of leases.
bool IsName(const std::string& text) {
  return !text.empty() && text.size() <= kMostOfAName &&
         std::ranges::all_of(
             text, [](char c) { return c > ' ' && c <= '~' && c != ';'; });
}

bool IsAmount(double number) { return std::isfinite(number) && number >= 0.0; }

Result<void> CheckWish(const AgentWish& wish, const LiveTree& live_tree) {
  std::string wrong;
  const auto refuse = [&](const std::string& why) {
    wrong += (wrong.empty() ? "" : "; ") + why;
  };
  if (!IsName(wish.agent)) {
    refuse(
        "agent: expected a name of 1 to 80 letters, digits and signs, "
        "without blanks and semicolons");
  }
  if (wish.request && !IsName(*wish.request)) {
    refuse("request: expected a name like that of the agent");
  }
  if (const auto fits = CheckLease(wish.lease_s); !fits) {
    refuse(fits.error().what);
  }
  if (wish.max_cost_usd && !IsMoney(*wish.max_cost_usd)) {
    refuse("max_cost_usd: expected an amount of money");
  }
  if (wish.count < 1 || wish.count > kMostAtOnce) {
    refuse("count: expected 1 to 64 attempts");
  }
  if (!IsAmount(wish.wait_s)) refuse("wait: expected seconds");
  if (wish.parent) {
    const std::string node = "node " + std::to_string(Index(*wish.parent));
    if (Index(*wish.parent) < 0 || Index(*wish.parent) >= live_tree.nodes()) {
      refuse("parent: there is no " + node);
    } else if (live_tree.Node(*wish.parent).kernel_hash == 0) {
      refuse("parent: " + node + " has no candidate to go on from");
    }
  }
  if (wrong.empty()) return {};
  return Fail(Errc::kUsage, wrong);
}

bool HasMoneyCap(const store::Caps& caps) {
  return caps.campaign.usd || caps.day.usd ||
         std::ranges::any_of(caps.roles, [](const store::Cap& cap) {
           return cap.usd.has_value();
         });
}

std::string SecondsText(double seconds) {
  return std::to_string(std::llround(std::max(seconds, 0.0))) + " s";
}

}  // namespace

Result<Asked> TicketIssuer::Ask(const AgentWish& wish, Judging orphans) {
  const double until_s = parts_.clock.Monotonic() + wish.wait_s;
  for (;;) {
    if (orphans == Judging::kHere) TRY_DONE(JudgeOrphans());
    TRY(asked, AskOnce(wish));
    const bool is_over = parts_.clock.Monotonic() >= until_s;
    if (!asked->offers.empty() || asked->is_spent || is_over || IsDraining()) {
      return *std::move(asked);
    }
    std::this_thread::sleep_for(kAskEvery);
  }
}

Result<std::optional<Asked>> TicketIssuer::AskOnce(const AgentWish& wish) {
  const std::lock_guard lock(live_tree_.mutex());
  TRY_DONE(live_tree_.CatchUp());
  TRY_DONE(CheckWish(wish, live_tree_));
  Asked asked;
  TRY(known, OffersOf(wish));
  if (known) {
    asked.offers = *std::move(known);
    return std::optional(std::move(asked));
  }
  TRY(room, FindRoom());
  if (HasMoneyCap(ledger_.caps()) && !wish.max_cost_usd) {
    return Fail(Errc::kUsage,
                "the campaign has a cap on money: declare what an attempt may "
                "cost at most (max_cost_usd)");
  }
  asked.none_because = room.none_because;
  asked.is_spent = room.is_spent;
  std::vector<Ticket> issued;
  auto grouped = Group([&]() -> Result<void> {
    TRY_ASSIGN(issued, Issue(wish, room.limit));
    return {};
  });
  // Another process was asked the same at the same time.
  if (!grouped && grouped.error().code == Errc::kBusy && wish.request) {
    TRY(same, OffersOf(wish));
    if (same) {
      asked.offers = *std::move(same);
      return std::optional(std::move(asked));
    }
  }
  TRY_DONE(grouped);
  for (const Ticket& ticket : issued) {
    TRY(offer, OfferOf(ticket));
    asked.offers.push_back(std::move(offer));
  }
  if (!asked.offers.empty()) {
    asked.none_because.clear();
    asked.is_spent = false;
    return std::optional(std::move(asked));
  }
  TRY(in_flight, store::Tickets(parts_.database).CountInFlight(row_.id));
  asked.is_spent = asked.is_spent && in_flight.attempts == 0;
  if (asked.none_because.empty() && TakesAny(wish.roles) &&
      in_flight.attempts >= options_.most_in_flight) {
    asked.none_because = "as many attempts are under way as may be at a time";
  }
  if (asked.none_because.empty()) {
    asked.none_because = "nothing is open for the roles " + NameOf(wish.roles);
  }
  if (in_flight.attempts > 0) {
    asked.none_because +=
        "; " + std::to_string(in_flight.attempts) +
        " in flight, the first for " +
        SecondsText(*in_flight.first_deadline_s - parts_.clock.UnixSeconds()) +
        " more at most";
  }
  return std::optional(std::move(asked));
}

// None: nobody asked so before.  A lease that has run out meanwhile is as it
// was: its agent is here.
Result<std::optional<std::vector<TicketOffer>>> TicketIssuer::OffersOf(
    const AgentWish& wish) {
  if (!wish.request) return std::optional<std::vector<TicketOffer>>();
  store::Tickets tickets(parts_.database);
  TRY(known, tickets.OfRequest(row_.id, wish.agent, *wish.request));
  if (known.empty()) return std::optional<std::vector<TicketOffer>>();
  std::vector<TicketOffer> offers;
  const double now_s = parts_.clock.UnixSeconds();
  for (Ticket& ticket : known) {
    if (ticket.state == TicketState::kOpen && ticket.deadline_s <= now_s) {
      const auto extended = tickets.Extend(ticket, now_s + wish.lease_s);
      if (!extended && extended.error().code != Errc::kLost) {
        return tl::unexpected<Error>(extended.error());
      }
      TRY_ASSIGN(ticket, tickets.Find(ticket.uuid));
    }
    TRY(offer, OfferOf(ticket));
    offers.push_back(std::move(offer));
  }
  return std::optional(std::move(offers));
}

// How many decisions may have been made, or why no more are to be.
Result<TicketIssuer::Room> TicketIssuer::FindRoom() {
  TRY(row, store::Campaigns(parts_.database).Find(row_.spec.name));
  row_.spec.budget_attempts = row.spec.budget_attempts;
  row_.spec.budget_s = row.spec.budget_s;
  TRY(used, store::ReadUsed(parts_.database, row_.id));
  TRY_DONE(HearPeople(
      {.seconds = row.elapsed_s, .usd = used.usd, .tokens = used.tokens}));
  if (const Directive* holding = live_tree_.HeldBackBy(used.usd)) {
    return Room{0,
                holding->kind == DirectiveKind::kPause
                    ? "paused by " + holding->author
                    : "waits for an approval, as " + holding->author + " wants",
                false};
  }
  const std::int64_t made = live_tree_.decisions();
  const std::int64_t budget = row_.spec.budget_attempts;
  if (made >= budget) {
    return Room{0,
                "the budget of " + std::to_string(budget) +
                    " attempts is spent: " + std::to_string(made) +
                    " were begun",
                true};
  }
  if (row_.spec.budget_s && row.elapsed_s >= *row_.spec.budget_s) {
    return Room{0,
                "the budget of " + SecondsText(*row_.spec.budget_s) +
                    " is spent: " + SecondsText(row.elapsed_s) + " were used",
                true};
  }
  if (parts_.budget_evaluator_s) {
    TRY(used_s, store::ReadEvaluatorSeconds(parts_.database, row_.id));
    if (used_s >= *parts_.budget_evaluator_s) {
      return Room{0,
                  "the budget of " + SecondsText(*parts_.budget_evaluator_s) +
                      " of the evaluator is spent: " + SecondsText(used_s) +
                      " were used",
                  true};
    }
  }
  TRY(rule, RuleThatIsMet(live_tree_.nodes()));
  if (rule) return Room{0, *rule, true};
  return Room{budget, "", false};
}

Result<void> TicketIssuer::HearPeople(const Used& used) {
  TRY_DONE(live_tree_.HearPeople(used));
  ledger_.FollowLimits(live_tree_.in_force(), limits_, row_.spec);
  (void)live_tree_.TakeNews();
  return {};
}

Result<std::optional<std::string>> TicketIssuer::RuleThatIsMet(
    std::int64_t nodes) {
  const StopRules& rules = parts_.stop;
  if (!rules.speedup && !rules.baseline && !rules.without_gain) {
    return std::optional<std::string>();
  }
  Progress progress;
  const NodeId best = live_tree_.Best().value_or(kRootNode);
  progress.since_gain = nodes - 1 - Index(best);
  TRY(line, store::ReadLine(parts_.database, row_.id, best));
  if (line.speedup) progress.best_speedup = *line.speedup;
  return MetRule(rules, progress);
}

// REQUIRES: in a group.
Result<std::vector<Ticket>> TicketIssuer::Issue(const AgentWish& wish,
                                                std::int64_t limit) {
  std::vector<Ticket> issued;
  for (int place = 0; place < wish.count; ++place) {
    TRY(ticket, IssueOne(wish, place, limit));
    if (!ticket) break;
    issued.push_back(*std::move(ticket));
  }
  return issued;
}

Result<std::optional<Ticket>> TicketIssuer::IssueOne(const AgentWish& wish,
                                                     std::int64_t place,
                                                     std::int64_t limit) {
  Ticket ticket;
  ticket.uuid = FreshUuid(parts_.clock);
  ticket.campaign = row_.id;
  ticket.agent = wish.agent;
  ticket.request = wish.request;
  ticket.place = place;
  ticket.roles = wish.roles;
  ticket.asked_at_s = parts_.clock.UnixSeconds();
  ticket.deadline_s = ticket.asked_at_s + wish.lease_s;
  ticket.max_cost_usd = wish.max_cost_usd;
  const TicketTerms terms{ticket.LeaseOwner(), wish.lease_s, wish.parent,
                          "asked for by " + wish.agent};
  TRY(attempt, FindAttempt(wish, terms, limit));
  if (!attempt) return std::optional<Ticket>();
  ticket.attempt = attempt->id;
  ticket.epoch = attempt->epoch;
  TRY_ASSIGN(ticket.id, store::Tickets(parts_.database).Issue(ticket));
  TRY_DONE(PutQuestion(ticket, *attempt, ticket.max_cost_usd));
  return std::optional(std::move(ticket));
}

// First what another has left.  A node that is asked for is a new decision.
Result<std::optional<AttemptRecord>> TicketIssuer::FindAttempt(
    const AgentWish& wish, const TicketTerms& terms, std::int64_t limit) {
  if (!wish.parent) {
    TRY(left, live_tree_.AdoptOrphan(
                  Orphans::kDead,
                  [&](Stage stage, NodeId parent) {
                    return IsFor(wish.roles, stage, parent);
                  },
                  &terms));
    if (left) return left;
  }
  if (!TakesAny(wish.roles)) return std::optional<AttemptRecord>();
  TRY(in_flight, store::Tickets(parts_.database).CountInFlight(row_.id));
  if (in_flight.attempts >= options_.most_in_flight) {
    return std::optional<AttemptRecord>();
  }
  for (;;) {
    TRY(fresh, live_tree_.Reserve(limit, &terms));
    // A person's own kernel needs no agent: it waits for its judge.
    if (!fresh || fresh->stage != Stage::kCoded) return fresh;
    live_tree_.Leave(*fresh);
    TRY_DONE(store::Attempts(parts_.database)
                 .Release(fresh->AsHeld(), parts_.clock.UnixSeconds()));
  }
}

// What role the next decision is for shows when it is made.
bool TicketIssuer::TakesAny(Roles roles) const {
  if (parts_.agents == config::Agents::kAlone) return roles.Has(Role::kCode);
  return roles.Has(Role::kPlan) && roles.Has(Role::kDebug);
}

bool TicketIssuer::IsFor(Roles roles, Stage stage, NodeId parent) const {
  return stage < Stage::kCoded && roles.Has(RoleOf(stage, parent));
}

Role TicketIssuer::RoleOf(Stage stage, NodeId parent) const {
  return RoleFor(parts_.agents, stage, live_tree_.Node(parent).verdict);
}

}  // namespace coppice::engine
