// What is alike where nodes are read that others know in part.  Private to this
// folder.
#pragma once

#include <cstdint>

namespace coppice::store {

// Nodes of one transaction: while it is open, a writer's log only grows.
inline constexpr std::int64_t kNodesAtOnce = 50'000;

// Selects the numbers of the nodes of campaign ?1 that count for something else
// since the first ?2 further evaluations: those that were evaluated, and those
// of the same tokens.
inline constexpr const char* kChangedSince =
    "SELECT e.node_number FROM evaluation e"
    " WHERE e.campaign_id = ?1 AND e.further > ?2 UNION "
    "SELECT s.number FROM evaluation e CROSS JOIN node s"
    " ON s.campaign_id = e.campaign_id AND s.same_as = e.node_number"
    " WHERE e.campaign_id = ?1 AND e.further > ?2";

}  // namespace coppice::store
