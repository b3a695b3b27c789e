// The question that a ticket's agent is to answer next.
#include <optional>
#include <string>
#include <utility>

#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/question.h"
#include "engine/outside/ticket_issuer.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/own_providers.h"
#include "store/records/ticket.h"
#include "store/write/calls.h"
#include "store/write/nodes.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {

// The call that the agent is to answer, with what it may cost.
Result<void> TicketIssuer::PutQuestion(const Ticket& ticket,
                                       const AttemptRecord& attempt,
                                       std::optional<double> max_cost_usd) {
  return PutQuestionTo(RoleOf(attempt.stage, attempt.reservation.parent),
                       ticket, attempt, max_cost_usd);
}

Result<void> TicketIssuer::PutQuestionTo(Role role, const Ticket& ticket,
                                         const AttemptRecord& attempt,
                                         std::optional<double> max_cost_usd) {
  return PutUnder(ledger_.caps(), role, ticket, attempt, max_cost_usd);
}

Result<void> TicketIssuer::PutUnder(const store::Caps& caps, Role role,
                                    const Ticket& ticket,
                                    const AttemptRecord& attempt,
                                    std::optional<double> max_cost_usd) {
  TRY(parent,
      store::Nodes(parts_.database).Load(row_.id, attempt.reservation.parent));
  store::Calls calls(parts_.database);
  TRY(rejected, calls.LastRejected(attempt.id, role));
  TRY(matter, Put(parts_, AgentContextNow(),
                  {role, row_.id, row_.spec.seed, attempt, parent, rejected}));
  const CallIntent intent =
      IntentOf(parts_, role, NameOf(Answerer::kOutside), ticket.agent,
               attempt.reservation.decision, matter.prompt);
  TRY(call, calls.Begin(ticket.AsHeld(), intent, matter.window));
  WireIntent wire;
  wire.request = "ticket " + ToString(ticket.uuid);
  wire.output_tokens_bound = 0;
  wire.cost_usd_bound = max_cost_usd;
  wire.sent_at_s = intent.sent_at_s;
  return store::WireCalls(parts_.database)
      .Begin(call, wire, caps)
      .map([](WireCallId) {});
}

}  // namespace coppice::engine
