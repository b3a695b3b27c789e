// How many nodes and decisions a campaign has.  Both are numbered from 0
// without a gap, so that what comes next has the number of those that are
// there.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Connection;

struct Counts {
  std::int64_t attempts = 0;  // Decisions, with their nodes or still without.
  std::int64_t nodes = 0;
  std::int64_t further = 0;  // Evaluations of nodes that were there already.
};
// kNotFound: there is no such campaign.
Result<Counts> CountsOf(Connection& connection, CampaignId campaign);

bool HasNode(Connection& connection, CampaignId campaign, NodeId node);

// kBusy if what is called `name`, "node 7", is there already; kUsage if it is
// not the next.
Result<void> CheckNext(const Connection& connection, const std::string& name,
                       std::int64_t number, std::int64_t next);

}  // namespace coppice::store
