// The campaigns that agents ask and tell by this service, each opened when the
// first of them comes, with evaluators of its own, so that they judge side by
// side as processes do.  An open one has processes and descriptors, so one that
// is finished is closed, and of those that nobody asks only the last stay open.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "config/load.h"
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

  // kUsage: the file has no such campaign, or ticket.  By any thread.  Who
  // holds one keeps it open; it is opened anew if it was closed.
  Result<std::shared_ptr<engine::TicketServer>> OfCampaign(
      const std::string& name);
  Result<std::shared_ptr<engine::TicketServer>> OfTicket(const Uuid& ticket);

  // Whether its root was measured, which else whoever opens it does.
  Result<bool> IsMeasured(const std::string& name) const;

  // Brings it to its end if that has come, and lets it be closed then.
  Result<void> FinishIfDone(engine::TicketServer& host);

  std::size_t CountOpen();  // For tests.

  // What runs ends soon; it is told as it is when the file is asked again.
  void Stop();

 private:
  struct Place;

  Result<std::unique_ptr<engine::CampaignFactory>> MakeCampaignFactory(
      const std::atomic<bool>& cancelled) const;
  Result<store::Database> Connect() const;
  Result<std::shared_ptr<engine::TicketServer>> HostOf(
      store::Database database, const store::CampaignRow& row);
  // The one that nobody asks for longest, if too many are open.  REQUIRES:
  // mutex_ is held; the caller lets go of it after that.
  std::shared_ptr<Place> TakeIdle();

  const config::Loaded loaded_;
  const std::filesystem::path runner_;
  const engine::Clock& clock_;
  const std::shared_ptr<std::atomic<bool>> drain_ =
      std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;  // Guards what follows; not held while one is opened.
  std::map<CampaignId, std::shared_ptr<Place>> places_;
  std::uint64_t asked_ = 0;
};

// The service's own.  Jobs keep it for as long as they run.
Result<std::shared_ptr<OutsideHosts>> HostsOf(Service& service);

// Has a job judge what was told to be judged later, if there is anything, and
// bring the campaign to its end if that has come.
Result<void> HaveJudged(Service& service, const Call& call,
                        const std::shared_ptr<OutsideHosts>& hosts,
                        const std::shared_ptr<engine::TicketServer>& host);
// The same, whether there is anything to judge or not.
Result<void> HaveEnded(Service& service, const Call& call,
                       const std::shared_ptr<OutsideHosts>& hosts,
                       const std::shared_ptr<engine::TicketServer>& host);

}  // namespace coppice::service
