#include "engine/service/outside_hosts.h"

#include <utility>

#include "store/campaigns.h"

namespace coppice::service {
namespace {

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

OutsideHosts::OutsideHosts(config::Loaded loaded, std::filesystem::path runner,
                           const engine::Clock& clock)
    : loaded_(std::move(loaded)), runner_(std::move(runner)), clock_(clock) {}

Result<store::Database> OutsideHosts::Connect() const {
  return store::Database::Open(loaded_.settings.db, store::Access::kReadWrite);
}

Result<engine::Host*> OutsideHosts::HostOf(store::Database database,
                                           const store::CampaignRow& row) {
  if (workshop_ == nullptr) {
    TRY(made, engine::Workshop::Make(loaded_, runner_, clock_, drain_));
    workshop_ = std::move(made);
  }
  auto& host = hosts_[row.id];
  if (host == nullptr) {
    TRY(opened,
        engine::Host::Open(*workshop_, std::move(database), row, observer_));
    host = std::move(opened);
  }
  return host.get();
}

Result<engine::Host*> OutsideHosts::OfCampaign(const std::string& name) {
  const std::lock_guard lock(mutex_);
  TRY(database, Connect());
  TRY(row, AsUsage(store::Campaigns(database).Find(name)));
  return HostOf(std::move(database), row);
}

Result<engine::Host*> OutsideHosts::OfTicket(const Uuid& ticket) {
  const std::lock_guard lock(mutex_);
  TRY(database, Connect());
  TRY(row, AsUsage(engine::CampaignOf(database, ticket)));
  return HostOf(std::move(database), row);
}

Result<std::shared_ptr<OutsideHosts>> HostsOf(Service& service) {
  TRY(part,
      service.Part<HostsPart>([&]() -> Result<std::unique_ptr<HostsPart>> {
        TRY(database, service.database());
        config::Loaded loaded = service.config();
        loaded.settings.db = database;
        return std::make_unique<HostsPart>(std::make_shared<OutsideHosts>(
            std::move(loaded), service.runner(), service.clock()));
      }));
  return part->hosts;
}

}  // namespace coppice::service
