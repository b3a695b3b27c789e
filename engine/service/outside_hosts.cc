#include "engine/service/outside_hosts.h"

#include <utility>

#include "engine/campaign/cut.h"
#include "engine/campaign/progress.h"
#include "engine/factory/campaign_factory.h"
#include "engine/factory/evaluator_factory.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_server.h"
#include "engine/service/operation_context.h"
#include "engine/service/service.h"
#include "store/write/campaigns.h"

namespace coppice::service {
namespace {

constexpr std::size_t kMostOpen = 8;  // But for those that somebody asks.

// Stops what runs before the service waits for it.
struct HostsPart {
  explicit HostsPart(std::shared_ptr<OutsideHosts> made)
      : hosts(std::move(made)) {}
  ~HostsPart() { hosts->Stop(); }
  HostsPart(const HostsPart&) = delete;
  HostsPart& operator=(const HostsPart&) = delete;

  std::shared_ptr<OutsideHosts> hosts;
};

// A name that is not there is who asks' mistake.
template <class Value>
Result<Value> AsUsage(Result<Value> found) {
  if (!found && found.error().code == Errc::kNotFound) {
    found.error().code = Errc::kUsage;
  }
  return found;
}

}  // namespace

struct OutsideHosts::Place {
  class Unwatched final : public engine::Observer {
   public:
    void OnCommit(const engine::Progress& /*progress*/,
                  const NodeRecord& /*node*/) override {}
    void OnConfirm(const engine::Progress& /*progress*/,
                   NodeId /*leader*/) override {}
  };

  std::shared_ptr<std::atomic<bool>> drain;
  std::uint64_t asked = 0;  // By OutsideHosts::mutex_.
  std::mutex mutex;         // Held while it is opened.
  Unwatched observer;
  engine::Flag cut;  // These outlive the factory.
  std::unique_ptr<engine::CampaignFactory> factory;
  std::unique_ptr<engine::TicketServer> host;
};

OutsideHosts::OutsideHosts(config::Loaded loaded, std::filesystem::path runner,
                           const engine::Clock& clock)
    : loaded_(std::move(loaded)), runner_(std::move(runner)), clock_(clock) {}

OutsideHosts::~OutsideHosts() = default;

Result<store::Database> OutsideHosts::Connect() const {
  return store::Database::Open(loaded_.settings.db, store::Access::kReadWrite);
}

Result<std::unique_ptr<engine::CampaignFactory>>
OutsideHosts::MakeCampaignFactory(const std::atomic<bool>& cancelled) const {
  TRY(made, engine::CampaignFactory::Make(loaded_, runner_, clock_, *drain_));
  made->evaluators().CancelBy(cancelled);
  return made;
}

std::shared_ptr<OutsideHosts::Place> OutsideHosts::TakeIdle() {
  if (places_.size() <= kMostOpen) return nullptr;
  auto idle = places_.end();
  for (auto at = places_.begin(); at != places_.end(); ++at) {
    const bool is_held = at->second.use_count() > 1;
    const bool is_older =
        idle == places_.end() || at->second->asked < idle->second->asked;
    if (!is_held && is_older) idle = at;
  }
  if (idle == places_.end()) return nullptr;
  return std::move(places_.extract(idle).mapped());
}

Result<std::shared_ptr<engine::TicketServer>> OutsideHosts::HostOf(
    store::Database database, const store::CampaignRow& row) {
  std::shared_ptr<Place> idle;  // Goes when mutex_ is not held.
  std::shared_ptr<Place> place;
  {
    const std::lock_guard lock(mutex_);
    auto& known = places_[row.id];
    if (known == nullptr) {
      known = std::make_shared<Place>();
      known->drain = drain_;
      if (*drain_) known->cut.Raise();
    }
    known->asked = ++asked_;
    place = known;
    idle = TakeIdle();
  }
  const std::lock_guard lock(place->mutex);
  if (place->host == nullptr) {
    TRY_ASSIGN(place->factory, MakeCampaignFactory(place->cut.up()));
    TRY_ASSIGN(place->host,
               engine::TicketServer::Open(*place->factory, std::move(database),
                                          row, place->observer, &place->cut));
  }
  return std::shared_ptr<engine::TicketServer>(place, place->host.get());
}

std::size_t OutsideHosts::CountOpen() {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

void OutsideHosts::Stop() {
  const std::lock_guard lock(mutex_);
  if (drain_->exchange(true)) return;
  for (const auto& [id, place] : places_) place->cut.Raise();
}

Result<bool> OutsideHosts::IsMeasured(const std::string& name) const {
  TRY(database, Connect());
  TRY(row, AsUsage(store::Campaigns(database).Find(name)));
  return row.nodes > 0;
}

Result<std::shared_ptr<engine::TicketServer>> OutsideHosts::OfCampaign(
    const std::string& name) {
  TRY(database, Connect());
  TRY(row, AsUsage(store::Campaigns(database).Find(name)));
  return HostOf(std::move(database), row);
}

Result<std::shared_ptr<engine::TicketServer>> OutsideHosts::OfTicket(
    const Uuid& ticket) {
  TRY(database, Connect());
  TRY(row, AsUsage(engine::CampaignOf(database, ticket)));
  return HostOf(std::move(database), row);
}

// Others may judge for this campaign meanwhile, should it be given more.
Result<void> OutsideHosts::FinishIfDone(engine::TicketServer& host) {
  TRY(is_to_finish, host.IsToFinish());
  if (!is_to_finish) return {};
  TRY(factory, MakeCampaignFactory(*drain_));
  TRY_DONE(host.FinishIfDone(*factory));
  const std::lock_guard lock(mutex_);
  places_.erase(host.campaign());  // Who is inside holds it.
  return {};
}

// The operation context is made first, so that it goes last: its jobs are told
// to stop before it waits for them.
Result<std::shared_ptr<OutsideHosts>> HostsOf(Service& service) {
  (void)OperationContextOf(service);
  TRY(part,
      service.Part<HostsPart>([&]() -> Result<std::unique_ptr<HostsPart>> {
        config::Loaded loaded = service.config();
        TRY_ASSIGN(loaded.settings.db, service.database());
        return std::make_unique<HostsPart>(std::make_shared<OutsideHosts>(
            std::move(loaded), service.runner(), service.clock()));
      }));
  return part->hosts;
}

Result<void> HaveJudged(Service& service, const Call& call,
                        const std::shared_ptr<OutsideHosts>& hosts,
                        const std::shared_ptr<engine::TicketServer>& host) {
  TRY(has_orphans, host->ticket_issuer().HasOrphans());
  if (!has_orphans) return {};
  return HaveEnded(service, call, hosts, host);
}

Result<void> HaveEnded(Service& service, const Call& call,
                       const std::shared_ptr<OutsideHosts>& hosts,
                       const std::shared_ptr<engine::TicketServer>& host) {
  Work work{.lane = Lane::kTimed,
            .key = "orphans of " + host->name(),
            .run = [hosts, host](const Call& own) -> Result<std::string> {
              TRY_DONE(host->ticket_issuer().JudgeOrphans(own.cancelled));
              TRY_DONE(hosts->FinishIfDone(*host));
              return std::string("{}");
            }};
  return OperationContextOf(service)
      .jobs()
      .Do({call.client, {}, {}}, std::move(work), 0.0)
      .map([](const JobView&) {});
}

}  // namespace coppice::service
