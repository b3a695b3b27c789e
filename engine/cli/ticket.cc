// coppice ticket: an agent of your own asks for attempts and tells what it made
// of them (engine/outside/).
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

#include "config/keys.h"
#include "engine/campaign/display.h"
#include "engine/campaign/outage_listener.h"
#include "engine/cli/campaign_options.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/input.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/outside/outside_json.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/ticket_server.h"
#include "engine/outside/told.h"
#include "engine/process/terminal_text.h"
#include "store/records/parse_number.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

using engine::Asked;
using engine::Printable;
using engine::Receipt;
using engine::TicketServer;
using engine::Told;

constexpr double kUsualLease_s = 600.0;

Result<double> NumberOf(const Invocation& invocation, std::string_view option,
                        double otherwise) {
  const auto word = invocation.Text(option);
  if (!word) return otherwise;
  if (const auto number = ParseNumber<double>(*word)) return *number;
  return Fail(Errc::kUsage,
              "--" + std::string(option) + ": '" + *word + "' is no number");
}

Result<std::optional<double>> MoneyOf(const Invocation& invocation,
                                      std::string_view option) {
  if (!invocation.Has(option)) return std::optional<double>();
  TRY(usd, NumberOf(invocation, option, 0.0));
  return std::optional(usd);
}

// Everything that a command of these works with.
struct Session {
  std::unique_ptr<engine::CampaignFactory> factory;
  std::unique_ptr<engine::Display> display;
  std::optional<engine::OutageListener> listener;
  std::unique_ptr<TicketServer> host;
};

using FindCampaign =
    std::function<Result<store::CampaignRow>(store::Database& database)>;

Result<std::unique_ptr<Session>> Begin(const Invocation& invocation,
                                       Streams& streams,
                                       const FindCampaign& find) {
  const engine::Surface surface =
      SurfaceOf(invocation, streams.err_is_terminal);
  auto session = std::make_unique<Session>();
  TRY_ASSIGN(session->factory, OpenFactory(invocation));
  session->display = std::make_unique<engine::Display>(
      streams.err, surface, session->factory->clock(), streams.err_columns);
  engine::Display& display = *session->display;
  session->listener.emplace(
      session->factory->outages(),
      [&display](const engine::Outage& outage) { display.OnOutage(outage); });
  TRY(database,
      OpenToWrite(invocation, *session->listener, store::Access::kReadWrite));
  TRY(row, find(database));
  TRY_ASSIGN(
      session->host,
      TicketServer::Open(*session->factory, std::move(database), row, display));
  return session;
}

Result<Uuid> TicketIn(const Invocation& invocation) {
  const std::string& word = invocation.arguments.front();
  if (const auto uuid = ParseUuid(word)) return *uuid;
  return Fail(Errc::kUsage,
              "'" + word + "' is no ticket: `coppice ticket ask` prints one");
}

Result<std::unique_ptr<Session>> BeginFor(const Invocation& invocation,
                                          Streams& streams,
                                          const Uuid& ticket) {
  return Begin(invocation, streams, [&](store::Database& database) {
    auto row = engine::CampaignOf(database, ticket);
    if (!row && row.error().code == Errc::kNotFound) {
      row.error().code = Errc::kUsage;
    }
    return row;
  });
}

Result<engine::AgentWish> WishOf(const Invocation& invocation) {
  engine::AgentWish wish;
  const auto agent = invocation.Text("agent");
  if (!agent) return Fail(Errc::kUsage, "--agent NAME: say who asks");
  wish.agent = *agent;
  wish.request = invocation.Text("request");
  if (const auto roles = invocation.Text("roles")) {
    const auto named = RolesNamed(*roles);
    if (!named) {
      return Fail(Errc::kUsage, "--roles " + *roles +
                                    ": expected plan, code or debug, with "
                                    "commas between");
    }
    wish.roles = *named;
  }
  TRY_ASSIGN(wish.lease_s, NumberOf(invocation, "lease", kUsualLease_s));
  TRY_ASSIGN(wish.wait_s, NumberOf(invocation, "wait", 0.0));
  TRY_ASSIGN(wish.max_cost_usd, MoneyOf(invocation, "max-cost-usd"));
  constexpr std::int64_t kMany = 1000;  // Refused, and fits an int.
  wish.count =
      static_cast<int>(std::min(invocation.Count("count").value_or(1), kMany));
  if (const auto parent = invocation.Count("parent")) {
    wish.parent = NodeId{*parent};
  }
  return wish;
}

void PrintOffered(const engine::TicketOffer& offer, Streams& streams) {
  streams.out << "\n"
              << Printable(offer.system_prompt) << "\n\n"
              << Printable(offer.user_prompt) << "\n";
}

void Print(const Asked& asked, Streams& streams) {
  for (const engine::TicketOffer& offer : asked.offers) {
    streams.out << "ticket " << ToString(offer.ticket.uuid) << ": "
                << Name(offer.role) << " of decision " << offer.decision
                << ", on node " << Index(offer.parent) << " ("
                << Printable(offer.reason) << "), " << Name(offer.ticket.state)
                << "\n";
    if (asked.offers.size() > 1) continue;
    PrintOffered(offer, streams);
  }
}

Result<Exit> RunAsk(const Invocation& invocation, Streams& streams) {
  TRY(wish, WishOf(invocation));
  TRY(session, Begin(invocation, streams, [&](store::Database& database) {
        return NamedOrChosen(invocation, streams, database);
      }));
  auto asked = session->host->ticket_issuer().Ask(wish);
  if (asked && asked->is_spent) {
    TRY_DONE(session->host->FinishIfDone(*session->factory));
  }
  session->display->Close();
  TRY_DONE(asked);
  if (invocation.Has("json")) {
    PrintDocument(engine::AskedJson(*asked), streams.out);
  } else if (asked->offers.empty()) {
    streams.err << "no ticket: " << Printable(asked->none_because) << "\n";
  } else {
    Print(*asked, streams);
  }
  return asked->offers.empty() ? Exit::kNoImprovement : Exit::kDone;
}

Result<std::optional<std::string>> TextIn(const Invocation& invocation,
                                          Streams& streams,
                                          std::string_view option) {
  const auto file = invocation.Text(option);
  if (!file) return std::optional<std::string>();
  TRY(text,
      *file == "-" ? ReadAll(streams.in, "standard input") : ReadFile(*file));
  return std::optional(std::move(text));
}

Result<Told> ToldIn(const Invocation& invocation, Streams& streams) {
  if (invocation.Text("plan") == "-" && invocation.Text("source") == "-") {
    return Fail(Errc::kUsage, "-: standard input can be read but once");
  }
  Told told;
  TRY_ASSIGN(told.plan, TextIn(invocation, streams, "plan"));
  TRY_ASSIGN(told.source, TextIn(invocation, streams, "source"));
  told.none_reason = invocation.Text("none");
  told.language = invocation.Text("language");
  told.use.model = invocation.Text("model").value_or("");
  told.use.usage.input_tokens = invocation.Count("input-tokens").value_or(0);
  told.use.usage.output_tokens = invocation.Count("output-tokens").value_or(0);
  TRY_ASSIGN(told.use.cost_usd, MoneyOf(invocation, "cost-usd"));
  return told;
}

Result<Exit> PrintReceipt(const Result<Receipt>& told,
                          const Invocation& invocation, Streams& streams) {
  TRY_DONE(told);
  if (invocation.Has("json")) {
    PrintDocument(engine::ReceiptJson(*told), streams.out);
  } else if (told->node) {
    streams.out << "node " << Index(*told->node) << ": "
                << Name(*told->verdict);
    if (told->speedup) streams.out << ", " << SpeedupText(*told->speedup);
    streams.out << "\n" << LogText(told->log_head);
  } else {
    streams.out << "the ticket is " << Name(told->ticket.state)
                << ", its attempt " << Name(told->stage) << "\n";
  }
  if (told->next && !invocation.Has("json")) {
    PrintOffered(*told->next, streams);
  }
  const bool has_failed = told->verdict && *told->verdict != Verdict::kPassed;
  return has_failed ? Exit::kNoImprovement : Exit::kDone;
}

Result<Exit> RunTell(const Invocation& invocation, Streams& streams) {
  TRY(ticket, TicketIn(invocation));
  TRY(told, ToldIn(invocation, streams));
  TRY(session, BeginFor(invocation, streams, ticket));
  const auto judging = invocation.Has("no-wait")
                           ? engine::TicketIssuer::Judging::kLater
                           : engine::TicketIssuer::Judging::kHere;
  engine::TicketIssuer& ticket_issuer = session->host->ticket_issuer();
  const auto receipt = invocation.Has("as-extra")
                           ? ticket_issuer.TellAsExtra(ticket, told, judging)
                           : ticket_issuer.Tell(ticket, told, judging);
  if (receipt) TRY_DONE(session->host->FinishIfDone(*session->factory));
  session->display->Close();
  return PrintReceipt(receipt, invocation, streams);
}

Result<Exit> RunRenew(const Invocation& invocation, Streams& streams) {
  TRY(ticket, TicketIn(invocation));
  TRY(lease_s, NumberOf(invocation, "lease", kUsualLease_s));
  TRY(session, BeginFor(invocation, streams, ticket));
  const auto renewed = session->host->ticket_issuer().Renew(ticket, lease_s);
  session->display->Close();
  TRY_DONE(renewed);
  if (invocation.Has("json")) {
    PrintDocument(engine::TicketJson(*renewed), streams.out);
  } else {
    streams.out << "renewed\n";
  }
  return Exit::kDone;
}

Result<Exit> RunGiveUp(const Invocation& invocation, Streams& streams) {
  TRY(ticket, TicketIn(invocation));
  TRY(session, BeginFor(invocation, streams, ticket));
  const auto receipt = session->host->ticket_issuer().GiveUp(
      ticket, invocation.Text("reason").value_or("no reason given"));
  if (receipt) TRY_DONE(session->host->FinishIfDone(*session->factory));
  session->display->Close();
  TRY_DONE(receipt);
  TRY_DONE(PrintReceipt(receipt, invocation, streams));
  return Exit::kDone;
}

std::vector<Option> TellOptions() {
  return {
      {"plan", Takes::kText, "FILE", "the plan agent's answer; -: stdin"},
      {"source", Takes::kText, "FILE", "the whole new source; -: stdin"},
      {"none", Takes::kText, "REASON", "there is no candidate, and why"},
      {"language", Takes::kText, "LANGUAGE",
       "that the source is in, to be held against the task's"},
      {"model", Takes::kText, "MODEL", "that answered"},
      {"input-tokens", Takes::kCount, "N", "that the agent says it read"},
      {"output-tokens", Takes::kCount, "N", "that it says it wrote"},
      {"cost-usd", Takes::kText, "USD", "that it says it spent"},
      {"as-extra", Takes::kNothing, "",
       "the ticket is lost: an attempt of its own"},
      {"no-wait", Takes::kNothing, "",
       "whoever runs the campaign, or asks next, judges it"},
      kJsonOption,
  };
}

constexpr Option kLeaseOption{"lease", Takes::kText, "SECONDS",
                              "how long it is nobody else's (600)"};

Verb Action(std::string_view name, std::string_view arguments,
            std::string_view summary, std::string_view examples,
            Result<Exit> (*run)(const Invocation&, Streams&),
            std::vector<Option> options) {
  using config::Group;
  for (const Option& option : CampaignOptions()) {
    const bool is_there = std::ranges::any_of(
        options, [&](const Option& own) { return own.name == option.name; });
    if (!is_there) options.push_back(option);
  }
  return {.name = name,
          .summary = summary,
          .arguments = arguments,
          .examples = examples,
          .options = std::move(options),
          .settings = config::NamesIn(
              {Group::kDatabase, Group::kThreads, Group::kTimeouts,
               Group::kPython, Group::kDevices, Group::kData, Group::kCache}),
          .run = run};
}

}  // namespace

Verb TicketVerb() {
  return {
      .name = "ticket",
      .summary = "ask for attempts and tell candidates, as an agent of yours",
      .actions =
          {
              Action("ticket ask", "[CAMPAIGN]",
                     "get an attempt: its node, its prompt and a ticket for it",
                     "  coppice ticket ask --agent me --request step-1 --json\n"
                     "  coppice ticket ask gemv --agent me --lease 1800\n",
                     RunAsk,
                     {{"agent", Takes::kText, "NAME", "who asks"},
                      {"request", Takes::kText, "KEY",
                       "asked again, it gets the same ticket"},
                      {"roles", Takes::kText, "ROLES",
                       "plan, code, debug: that it is ready for; all"},
                      kLeaseOption,
                      {"max-cost-usd", Takes::kText, "USD",
                       "that an attempt may cost, to be held against caps"},
                      {"parent", Takes::kCount, "NODE",
                       "go on from this one, whatever the policy would take"},
                      {"count", Takes::kCount, "N", "so many attempts at once"},
                      {"wait", Takes::kText, "SECONDS", "for one to be there"},
                      kJsonOption,
                      kCampaignOption}),
              Action(
                  "ticket tell", "TICKET",
                  "tell a plan, a source, or why there is none; it is judged",
                  "  coppice ticket tell $TICKET --plan plan.md\n"
                  "  coppice ticket tell $TICKET --source new.cc --json\n"
                  "  coppice ticket tell $TICKET --none 'no idea'\n",
                  RunTell, TellOptions()),
              Action("ticket renew", "TICKET", "have its lease run anew",
                     "  coppice ticket renew $TICKET --lease 1800\n", RunRenew,
                     {kLeaseOption, kJsonOption}),
              Action(
                  "ticket give-up", "TICKET", "leave its attempt to others",
                  "  coppice ticket give-up $TICKET --reason 'out of money'\n",
                  RunGiveUp,
                  {{"reason", Takes::kText, "TEXT", "why, for the record"},
                   kJsonOption}),
          },
  };
}

}  // namespace coppice::cli
