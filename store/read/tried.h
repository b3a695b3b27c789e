// What a campaign's attempts have tried, as far as a prompt tells of it.
#pragma once

#include <vector>

#include "store/newest_tried.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Database;

// Attempts whose nodes are below `before`: so many leaders (history.h), the
// root not among them, and the newest, the last first.  They are found by
// indexes, so what is read does not grow with the tree.
struct Tried {
  std::vector<TriedNode> fastest;
  std::vector<TriedNode> newest;
};
Result<Tried> ReadTried(Database& database, CampaignId campaign, NodeId before,
                        int fastest, int newest);

}  // namespace coppice::store
