#include "store/write/reopening.h"

#include "store/connection.h"
#include "store/write/campaigns.h"
#include "store/write/events.h"

namespace coppice::store {

void Reopen(Connection& connection, CampaignId campaign, double now_s) {
  connection.Run(
      "UPDATE campaign SET state = ?2 WHERE campaign_id = ?1"
      " AND state = ?3",
      campaign, CampaignState::kPaused, CampaignState::kFinished);
  if (connection.Changes() == 0) return;
  RecordEvent(connection, campaign, now_s, "paused");
}

}  // namespace coppice::store
