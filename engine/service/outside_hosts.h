// The campaigns that agents ask and tell by this service, each opened when the
// first of them comes, with evaluators of its own, so that they judge side by
// side as processes do.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/load.h"
#include "engine/campaign/progress.h"
#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/uuid.h"

namespace coppice::engine {
class CampaignFactory;
class Clock;
class TicketServer;
}  // namespace coppice::engine
namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::service {

struct Call;
class Service;

class OutsideHosts {
 public:
  // `clock` outlives it.
  OutsideHosts(config::Loaded loaded, std::filesystem::path runner,
               const engine::Clock& clock);
  ~OutsideHosts();

  // kUsage: the file has no such campaign, or ticket.  By any thread; they stay
  // as long as this does.
  Result<engine::TicketServer*> OfCampaign(const std::string& name);
  Result<engine::TicketServer*> OfTicket(const Uuid& ticket);

  // Whether its root was measured, which else whoever opens it does.
  Result<bool> IsMeasured(const std::string& name) const;

  // Brings it to its end if that has come.
  Result<void> FinishIfDone(engine::TicketServer& host);

  // What runs ends soon; it is told as it is when the file is asked again.
  void Stop();

 private:
  class Unwatched final : public engine::Observer {
   public:
    void OnCommit(const engine::Progress& /*progress*/,
                  const NodeRecord& /*node*/) override {}
    void OnConfirm(const engine::Progress& /*progress*/,
                   NodeId /*leader*/) override {}
  };

  struct Place;

  Result<std::unique_ptr<engine::CampaignFactory>> MakeCampaignFactory(
      const std::atomic<bool>& cancelled) const;
  Result<store::Database> Connect() const;
  Result<engine::TicketServer*> HostOf(store::Database database,
                                       const store::CampaignRow& row);

  const config::Loaded loaded_;
  const std::filesystem::path runner_;
  const engine::Clock& clock_;
  std::atomic<bool> drain_ = false;
  Unwatched observer_;
  std::mutex mutex_;  // Guards what follows; not held while one is opened.
  std::map<CampaignId, std::unique_ptr<Place>> places_;
};

// The service's own.  Jobs keep it for as long as they run.
Result<std::shared_ptr<OutsideHosts>> HostsOf(Service& service);

// Has a job judge what was told to be judged later, if there is anything, and
// bring the campaign to its end if that has come.
Result<void> HaveJudged(Service& service, const Call& call,
                        const std::shared_ptr<OutsideHosts>& hosts,
                        engine::TicketServer& host);
// The same, whether there is anything to judge or not.
Result<void> HaveEnded(Service& service, const Call& call,
                       const std::shared_ptr<OutsideHosts>& hosts,
                       engine::TicketServer& host);

}  // namespace coppice::service
