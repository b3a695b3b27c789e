// The steps of a campaign's best, and the time that its nodes span, for who
// draws its curve.  Both are read by indexes, in one short transaction each.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::store {

class Database;

// A node that was faster than all before it, as nodes count for now.
struct Improvement {
  NodeId node{};         // So many attempts were committed then.
  double speedup = 1.0;  // Over the root.
  double committed_at_s = 0.0;
};

// By number; the root first, if it passes.
Result<std::vector<Improvement>> ReadImprovements(Database& database,
                                                  CampaignId campaign);

// Unix times at which its first and its last node were committed; none: it has
// no node.
Result<std::optional<std::pair<double, double>>> ReadSpan(Database& database,
                                                          CampaignId campaign);

}  // namespace coppice::store
