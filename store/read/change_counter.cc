#include "store/read/change_counter.h"

#include <algorithm>

#include "store/connection.h"

namespace coppice::store {
namespace {

std::map<CampaignId, std::int64_t> LastEvents(
    Connection& connection, const std::vector<ChangeCounter>& before) {
  std::map<CampaignId, std::int64_t> last;
  std::int64_t seen = 0;
  for (const ChangeCounter& change_counter : before) {
    last[change_counter.campaign] = change_counter.last_event;
    seen = std::max(seen, change_counter.last_event);
  }
  Statement read = connection.Prepare(
      "SELECT campaign_id, max(event_id) FROM event WHERE event_id > ?"
      " GROUP BY campaign_id",
      seen);
  while (read.Step()) last[read.As<CampaignId>(0)] = read.Int(1);
  return last;
}

}  // namespace

Result<std::int64_t> DataVersion(Database& database) {
  Connection& connection = database.connection();
  // Not inside of Read: a snapshot would not notice.
  try {
    Statement read = connection.Prepare("PRAGMA data_version");
    read.Step();
    return read.Int(0);
  } catch (const SQLite::Exception& exception) {
    return tl::unexpected<Error>(Explain(connection.path(), exception));
  }
}

Result<std::vector<ChangeCounter>> ReadChangeCounters(
    Database& database, const std::vector<ChangeCounter>& before) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<std::vector<ChangeCounter>> {
    const auto last = LastEvents(connection, before);
    std::vector<ChangeCounter> change_counters;
    Statement read = connection.Prepare(
        "SELECT c.campaign_id, c.name, c.state, c.nodes, c.attempts,"
        " c.further, (SELECT count(*) FROM attempt a"
        "  WHERE a.campaign_id = c.campaign_id AND a.stage < 3),"
        " (SELECT coalesce(sum(k.cost_usd), 0.0) FROM call_sum k"
        "  WHERE k.campaign_id = c.campaign_id AND k.provider <> 'outside'),"
        " (SELECT count(*) FROM directive d"
        "  WHERE d.campaign_id = c.campaign_id AND d.outcome = 'pending'),"
        " (SELECT coalesce(max(d.directive_id), 0) FROM directive d"
        "  WHERE d.campaign_id = c.campaign_id)"
        " FROM campaign c ORDER BY c.campaign_id");
    while (read.Step()) {
      ChangeCounter change_counter{read.As<CampaignId>(0),
                                   read.Text(1),
                                   read.As<CampaignState>(2),
                                   read.Int(3),
                                   read.Int(4),
                                   read.Int(5),
                                   read.Int(6),
                                   read.Real(7),
                                   read.Int(8),
                                   read.Int(9)};
      const auto found = last.find(change_counter.campaign);
      if (found != last.end()) change_counter.last_event = found->second;
      change_counters.push_back(std::move(change_counter));
    }
    return change_counters;
  });
}

}  // namespace coppice::store
