// A campaign as outside agents find it: equipped, with its root measured, and
// brought to its end once they have told the last of it.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "store/database.h"
#include "store/records/result.h"
#include "store/records/task.h"
#include "store/write/campaigns.h"

namespace coppice::engine {

class CampaignFactory;
struct CampaignParts;
class Flag;
class Observer;
class TicketIssuer;

class TicketServer {
 public:
  // Measures the root, if nobody has.  `database` is the server's from then on,
  // and so is all that `factory` judges by; that, `observer` and `cut` (see
  // TicketIssuer) outlive the server.  kUsage if the campaign could not go on
  // with these settings.
  static Result<std::unique_ptr<TicketServer>> Open(
      CampaignFactory& factory, store::Database database,
      const store::CampaignRow& row, Observer& observer, Flag* cut = nullptr);

  ~TicketServer();

  TicketIssuer& ticket_issuer() { return *ticket_issuer_; }
  const Task& task() const { return task_; }
  const std::string& name() const { return row_.spec.name; }
  CampaignId campaign() const { return row_.id; }

  // Whether nothing is left to be decided and nothing is in flight, and the
  // campaign is not finished yet.
  Result<bool> IsToFinish();
  // If so: settles what is undecided, confirms the best, and has the campaign
  // be finished.  By any thread.  `factory` judges for nobody else meanwhile.
  Result<void> FinishIfDone(CampaignFactory& factory);

 private:
  TicketServer(CampaignFactory& factory, store::Database database,
               store::CampaignRow row, Observer& observer, Task task);

  CampaignFactory& factory_;
  store::Database database_;
  const store::CampaignRow row_;
  Observer& observer_;
  const Task task_;
  std::unique_ptr<const CampaignParts> parts_;
  std::unique_ptr<TicketIssuer> ticket_issuer_;
  std::mutex finishing_;
};

// The campaign that a ticket is of.  kNotFound: there is no such ticket.
Result<store::CampaignRow> CampaignOf(store::Database& database,
                                      const Uuid& ticket);

}  // namespace coppice::engine
