// The life of attempts.  Every method is one durable transaction: when it
// returns, the stage's product survives kill -9.
#pragma once

#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/records/window.h"

namespace coppice::store {

// What the caller knows of the process that holds an attempt's lease.
enum class Holder { kMayLive, kIsDead };

class Attempts {
 public:
  explicit Attempts(Database& database) : database_(database) {}

  // kBusy if the decision index is taken by another process.
  Result<AttemptId> Reserve(CampaignId campaign,
                            const Reservation& reservation);

  // Attempts without a node, by decision, with all they have achieved.
  Result<std::vector<AttemptRecord>> Unfinished(CampaignId campaign);

  // Takes over an attempt whose lease has run out by `now_s`, is our own, or is
  // that of a dead process, and marks its unanswered calls outcome_unknown.
  // kBusy if it is alive.
  Result<void> Adopt(AttemptId attempt, const std::string& owner, double now_s,
                     double lease_until_s, Holder holder = Holder::kMayLive);

  Result<void> RenewLeases(CampaignId campaign, const std::string& owner,
                           double lease_until_s);

 private:
  Database& database_;
};

}  // namespace coppice::store
