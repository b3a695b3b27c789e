#include "engine/outside/ticket_server.h"

#include <algorithm>
#include <string>
#include <utility>

#include "config/load.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/cut.h"
#include "engine/campaign/station.h"
#include "engine/campaign/stop_rules.h"
#include "engine/factory/campaign_factory.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/run/campaign_report.h"
#include "engine/run/session.h"
#include "store/records/parse_number.h"
#include "store/records/ticket.h"
#include "store/write/tickets.h"

namespace coppice::engine {
namespace {

// Attempts at the same time: as its user said, who thinks of what agents of his
// own may do; those outside are as many as come.
std::int64_t MostInFlight(const store::CampaignSpec& spec) {
  constexpr std::int64_t kUnsaid = 64;
  const auto said = std::ranges::find(spec.settings, "parallel",
                                      &store::CampaignSetting::key);
  if (said == spec.settings.end() || said->origin == "default") return kUnsaid;
  const auto number = ParseNumber<std::int64_t>(said->value);
  return std::max<std::int64_t>(number.value_or(kUnsaid), 1);
}

}  // namespace

TicketServer::TicketServer(CampaignFactory& factory, store::Database database,
                           store::CampaignRow row, Observer& observer,
                           Task task)
    : factory_(factory),
      database_(std::move(database)),
      row_(std::move(row)),
      observer_(observer),
      task_(std::move(task)) {}

TicketServer::~TicketServer() = default;

Result<std::unique_ptr<TicketServer>> TicketServer::Open(
    CampaignFactory& factory, store::Database database,
    const store::CampaignRow& row, Observer& observer, Flag* cut) {
  TRY_DONE(factory.SettingsToGoOn(row.spec));
  TRY(task, factory.TaskOf(row.spec));
  std::unique_ptr<TicketServer> host(new TicketServer(
      factory, std::move(database), row, observer, std::move(task)));
  if (row.nodes == 0) {
    // Another process may have begun it, and given attempts out, meanwhile.
    TRY(report, RunCampaign(factory, host->database_, host->task_, row,
                            observer, Extent::kRoot));
    if (!report.progress.root_runtime_s) {
      return Fail(Errc::kCancelled, row.spec.name +
                                        ": stopped before its root was "
                                        "measured");
    }
  }
  TRY(parts, factory.Equip(host->task_, row.spec, host->database_));
  TRY(settings, factory.SettingsOf(row.spec));
  TRY_ASSIGN(parts.stop, StopRulesOf(settings, host->database_, row.id));
  host->parts_ = std::make_unique<const CampaignParts>(std::move(parts));
  TRY_ASSIGN(host->ticket_issuer_,
             TicketIssuer::Open(
                 *host->parts_, row,
                 {.database = factory.settings().db,
                  .lease_s = factory.settings().lease_s,
                  .drain = &factory.drain(),
                  .confirm = host->task_.root.language != Language::kSim,
                  .outages = &factory.outages(),
                  .cut = cut,
                  .most_in_flight = MostInFlight(row.spec)}));
  return host;
}

Result<bool> TicketServer::IsToFinish() {
  TRY(is_done, ticket_issuer_->IsDone());
  if (!is_done || factory_.drain()) return false;
  TRY(own,
      store::Database::Open(factory_.settings().db, store::Access::kReadWrite));
  TRY(now, store::Campaigns(own).Find(row_.spec.name));
  return now.state != store::CampaignState::kFinished;
}

// Beside those who still ask, with a connection of its own.
Result<void> TicketServer::FinishIfDone(CampaignFactory& factory) {
  const std::lock_guard lock(finishing_);
  TRY(is_to_finish, IsToFinish());
  if (!is_to_finish) return {};
  TRY(own,
      store::Database::Open(factory.settings().db, store::Access::kReadWrite));
  TRY(now, store::Campaigns(own).Find(row_.spec.name));
  return RunCampaign(factory, own, task_, now, observer_, Extent::kNone)
      .map([](const CampaignReport&) {});
}

Result<store::CampaignRow> CampaignOf(store::Database& database,
                                      const Uuid& uuid) {
  TRY(ticket, store::Tickets(database).Find(uuid));
  return store::Campaigns(database).Find(ticket.campaign);
}

}  // namespace coppice::engine
