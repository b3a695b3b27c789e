// An open ticket's attempt, as the issuer has read it.
#pragma once

#include <optional>
#include <string>

#include "engine/outside/ticket_issuer.h"
#include "store/records/attempt.h"
#include "store/records/ticket.h"
#include "store/write/tickets.h"

namespace coppice::engine {

struct TicketIssuer::Held {
  Ticket ticket;
  AttemptRecord attempt;
  std::string parent_source;  // Empty: the parent has no candidate.
  std::optional<Plan> parent_plan;
  store::Tickets::OpenCall call;
};
}  // namespace coppice::engine
