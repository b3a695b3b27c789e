#include "store/write/live_campaigns.h"

#include "store/connection.h"
#include "store/read_rows.h"
#include "store/write/evaluations.h"

namespace coppice::store {

Result<std::vector<InFlight>> ReadInFlight(Database& database,
                                           CampaignId campaign) {
  // The last call of each, and what its unsettled requests may cost.
  return ReadRows(
      database,
      "SELECT a.decision, a.parent_number, a.policy, a.reason, a.stage,"
      " max(a.reserved_at_s, coalesce(m.ended_at_s, m.sent_at_s, 0)),"
      " iif(m.outcome = 0, r.name, ''),"
      " iif(m.outcome = 0, m.provider || ':' || m.model, ''),"
      " coalesce((SELECT sum(w.cost_usd_bound) FROM wire_call w"
      "  WHERE w.call_id = m.call_id AND w.is_unsettled), 0.0),"
      " iif(m.outcome = 0, m.output_tokens, 0) FROM attempt a"
      " LEFT JOIN model_call m ON m.call_id ="
      "  (SELECT max(l.call_id) FROM model_call l"
      "   WHERE l.attempt_id = a.attempt_id)"
      " LEFT JOIN role r ON r.role = m.role"
      " WHERE a.campaign_id = ? AND a.stage < 3 ORDER BY a.decision",
      [](const Statement& read) {
        return InFlight{read.Int(0),  read.As<NodeId>(1), read.Text(2),
                        read.Text(3), read.As<Stage>(4),  read.Real(5),
                        read.Text(6), read.Text(7),       read.Real(8),
                        read.Int(9)};
      },
      campaign);
}

Result<std::vector<Happening>> ReadHappenings(Database& database,
                                              CampaignId campaign, int limit) {
  return ReadRows(
      database,
      "SELECT e.event_id, e.at_s, e.kind, e.subject, e.detail, n.verdict,"
      " n.speedup, n.speedup_low, n.speedup_high FROM event e"
      " LEFT JOIN node n ON n.campaign_id = e.campaign_id"
      "  AND n.number = e.subject"
      "  AND e.kind IN ('committed', 'evaluated', 'quarantined')"
      " WHERE e.campaign_id = ? ORDER BY e.event_id DESC LIMIT ?",
      [](const Statement& read) {
        Happening happening{read.Int(0), read.Real(1), read.Text(2),
                            read.OptionalInt(3), read.Text(4)};
        happening.verdict = read.OptionalAs<Verdict>(5);
        happening.speedup = SpeedupAt(read, 6);
        return happening;
      },
      campaign, limit);
}

}  // namespace coppice::store
