// An open ticket's attempt, as the issuer has read it.
#pragma once

#include "engine/outside/ticket_issuer.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/records/ticket.h"
#include "store/write/tickets.h"

namespace coppice::engine {

struct TicketIssuer::Held {
  Ticket ticket;
  AttemptRecord attempt;
  NodeRecord parent;
  store::Tickets::OpenCall call;
};
}  // namespace coppice::engine
