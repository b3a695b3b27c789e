// renew: a lease runs anew, or its attempt is left to others.
#include <nlohmann/json.hpp>

#include "engine/documents/document.h"
#include "engine/outside/outside_json.h"
#include "engine/outside/submitted_answer.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/ticket_server.h"
#include "engine/service/arguments.h"
#include "engine/service/outside_hosts.h"
#include "engine/service/rows.h"
#include "engine/service/schemas.h"
#include "engine/service/service.h"

namespace coppice::service {
namespace {

Result<std::string> Renew(Service& service, const Call& call,
                          std::string_view text) {
  Arguments arguments(text);
  const auto ticket = ParseUuid(arguments.Text("ticket"));
  if (!ticket) arguments.Fault("ticket: is none that ask gave");
  const double lease_s =
      arguments.Number("lease_s", 0.0, engine::kLongestLease_s, 600.0);
  const auto reason = arguments.OptionalText("reason");
  TRY_DONE(arguments.Done());
  TRY(hosts, HostsOf(service));
  TRY(host, hosts->OfTicket(*ticket));
  engine::TicketIssuer& ticket_issuer = host->ticket_issuer();
  if (lease_s > 0.0) {
    TRY(renewed, ticket_issuer.Renew(*ticket, lease_s));
    return cli::LineOf(engine::TicketJson(renewed));
  }
  TRY(receipt, ticket_issuer.GiveUp(*ticket, reason.value_or("no reason given"),
                                    engine::TicketIssuer::Judging::kLater));
  TRY_DONE(HaveJudged(service, call, hosts, host));
  return cli::LineOf(engine::TicketJson(receipt.ticket));
}

}  // namespace

Operation RenewOperation() {
  static const std::string request = ObjectSchema(
      R"("ticket":{"type":"string"},)"
      R"("lease_s":{"type":"number","minimum":0,"maximum":86400,)"
      R"("default":600,"description":"From now; 0 gives the attempt up"},)"
      R"("reason":{"type":"string","description":"Why it is given up"})",
      R"("ticket")");
  static const std::string result = ObjectSchema(
      R"("ticket":{"type":"string"},"state":{"type":"string"},)"
      R"("agent":{"type":"string"},"request":{"type":["string","null"]},)"
      R"("roles":{"type":"string"},"deadline_s":{"type":"number"})",
      R"("ticket","state","deadline_s")");
  return {
      .name = "renew",
      .title = "Keep a ticket, or give it up",
      .description =
          "Has the lease of a ticket run anew, from now. With lease_s 0 the "
          "attempt is left to others, or ends without a candidate if you have "
          "claimed to have spent something on it.",
      .effects = {.idempotent = true},
      .request_schema = request,
      .result_schema = result,
      .answer = Renew,
  };
}

}  // namespace coppice::service
