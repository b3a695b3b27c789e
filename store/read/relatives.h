// The relatives and leaders of stored nodes, for who asks about one node and
// has no tree in memory: each is found by an index, and only as many rows are
// read as the answer needs, but that
//
//   a count of children or siblings passes over their entries in the index,
//   nephews are listed, and
//   leaders inside a subtree are passed over one by one.
#pragma once

#include <functional>
#include <optional>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/window.h"

namespace coppice {
struct Plan;
}

namespace coppice::store {

class Database;

// Shows `visit` the relatives of a campaign as it is now, which is valid until
// it returns.
Result<void> WithRelatives(
    Database& database, CampaignId campaign,
    const std::function<Result<void>(const FamilyTree&)>& visit);

// The plan of the last child of `parent` that has one.
Result<std::optional<Plan>> ReadLatestPlan(Database& database,
                                           CampaignId campaign, NodeId parent);

}  // namespace coppice::store
