// The rows of nodes, as what is read of them.  Private to this folder.
//
// REQUIRES: as ParentAt has it (store/write/parents.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "store/records/ids.h"

namespace coppice {
struct Behaviour;
struct NodeSummary;
}  // namespace coppice

namespace coppice::store {

class Statement;

// What SummaryAt reads, and where from: of campaign c and node n with its
// evaluations.
inline constexpr std::string_view kSummaryColumns =
    "n.number, n.parent_number, n.verdict, c.root_runtime_s / n.speedup,"
    " n.kernel_hash, n.same_as IS NOT NULL, e.hint_factor,"
    " coalesce(e.compile_s + e.check_s + e.timing_s, 0.0)"
    " + coalesce(p.compile_s + p.check_s + p.timing_s, 0.0),"
    " n.behaviour_limit, n.technique_family";
// How many these are.
inline constexpr int kSummaryWidth = 10;
inline constexpr std::string_view kSummaryTables =
    " FROM campaign c JOIN node n USING (campaign_id)"
    " LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id"
    " AND e.node_number = n.number AND e.ordinal = 0"
    " LEFT JOIN evaluation p ON p.campaign_id = n.campaign_id"
    " AND p.node_number = n.number AND p.ordinal = 1 AND p.further IS NULL";
// `next` is the number that it must have.
NodeSummary SummaryAt(const Statement& row, std::int64_t next);

// What two columns from `column` on say, in the row of `node`.
Behaviour BehaviourAt(const Statement& row, int column, NodeId node);

}  // namespace coppice::store
