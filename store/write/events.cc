#include "store/write/events.h"

#include "store/connection.h"

namespace coppice::store {

void RecordEvent(Connection& connection, CampaignId campaign, double at_s,
                 std::string_view kind, std::optional<std::int64_t> subject,
                 const std::string& detail) {
  connection.Run(
      "INSERT INTO event (campaign_id, at_s, kind, subject, detail)"
      " VALUES (?, ?, ?, ?, ?)",
      campaign, at_s, kind, subject, detail);
}

}  // namespace coppice::store
