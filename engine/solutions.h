// Nodes of a campaign as solutions of FlashInfer-Bench.
#pragma once

#include "store/campaigns.h"
#include "store/records/node.h"
#include "store/records/task.h"

namespace coppice::engine {

// The root's solution with the node's source, by author "coppice" and named
// CAMPAIGN.nodeN.  REQUIRES: it has a candidate.
Solution SolutionOf(const store::CampaignRow& campaign, const Task& task,
                    const NodeRecord& node);

}  // namespace coppice::engine
