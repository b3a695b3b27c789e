// Campaigns as people look at them on a page, and what whole files hold.
// Columns have the names of the views', as in store/read/node_pages.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/read/listing.h"
#include "store/records/ids.h"
#include "store/records/verdict.h"

namespace coppice::store {

// Rows of the view baselines, without the log.
Result<Listing> ReadBaselineRows(Database& database, CampaignId campaign);
// Those of all campaigns on a task, with `campaign`.
Result<Listing> ReadBaselineRowsOf(Database& database, const std::string& task);
// Where the root was measured.
Result<std::optional<std::string>> ReadHardware(Database& database,
                                                CampaignId campaign);
// One row, or none: decision, policy, reason, stage, node, parent, nodes_seen,
// further_seen, attempts_left.
Result<Listing> ReadDecisionRow(Database& database, CampaignId campaign,
                                std::int64_t decision);

// Leaders of all campaigns on a task: campaign, node, speedup, low, high,
// confirmed, technique, policy, hardware; fastest first.
Result<Listing> ReadLeadersOf(Database& database, const std::string& task);
Result<std::vector<std::string>> ReadTasks(Database& database);
// By the evaluation that a node counts for: workload, shape, median_s, speedup.
Result<Listing> ReadWorkloadsOf(Database& database, CampaignId campaign,
                                std::int64_t node);

// A node that failed.
struct FailedNode {
  std::int64_t node = 0;
  Verdict verdict = Verdict::kCrashed;
  std::string rule;       // That was broken; empty: none.
  std::string technique;  // Its name; empty: none was given.
  std::string policy;
  std::string text;  // Of the log, or why there is no candidate.
};
// The next few from that number on, in one transaction; how many.
Result<int> ScanFailed(Database& database, CampaignId campaign,
                       std::int64_t from,
                       const std::function<void(FailedNode)>& visit);

// day, campaign, role, model, calls, tokens, usd, unsettled_usd.
Result<Listing> ReadSpendDays(Database& database);
// Requests, the newest first: so many from a place on, and how many there are.
struct WirePage {
  Listing rows;
  std::int64_t total = 0;
};
Result<WirePage> ReadWirePage(Database& database, std::int64_t from,
                              std::int64_t limit);
// Calls whose outcome is unknown and not settled.
Result<Listing> ReadUnknownCalls(Database& database);
// Caps in dollars that a campaign has: campaign, what, limit, used.
Result<Listing> ReadCaps(Database& database);

// task, policy, agents, attempts, campaigns, best_speedup, least_speedup,
// greatest_speedup of policy_curve, at about so many numbers of attempts and
// where campaigns end; and rows of fast_p.
Result<Listing> ReadPolicyCurves(Database& database, std::int64_t points);
Result<Listing> ReadFastP(Database& database);

}  // namespace coppice::store
