// Trees as text, for tests.  One node a line, indented by depth; ids must be
// dense, and are the order in which the nodes were committed:
//
//   n0 10ms
//     n1 compile_failed +1    one attempt on it is in flight
//       n4 none               no candidate
//     n2 8ms =a               equal letters: equal sources
//     n3 failed               short for wrong_output
//     n5 failed ~2x           it ran 2 times as fast as the root: a hint
//
// Times are in s, ms or us.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/id_set.h"
#include "search/policy.h"
#include "store/records/node_summary.h"

namespace coppice::search {

struct TextTree {
  std::vector<NodeSummary> nodes;  // In commit order.
  std::map<NodeId, int> in_flight;
};

// Throws std::invalid_argument, naming the line.
TextTree ParseTree(std::string_view text);

Tree BuildTree(const TextTree& text, Eligibility rule = {});
Tree BuildTree(std::string_view text, Eligibility rule = {});
Tree BuildTree(const TextTree& text, const Policy& policy);
Tree BuildTree(const TextTree& text, std::unique_ptr<TreeIndex> index);

// What the policy selects with stream (seed, kSelect, 0), as "n4".
std::string Pick(const Policy& policy, std::string_view text,
                 std::uint64_t seed = 1);
// "n4: the reason".
std::string PickWithReason(const Policy& policy, std::string_view text,
                           std::uint64_t seed = 1);

// How often each node was picked over the seeds 1 to `draws`.
std::map<std::string, int> PickOften(const Policy& policy,
                                     std::string_view text, int draws);

std::string Label(NodeId node);                        // "n4".
std::string Labels(const std::vector<NodeId>& nodes);  // "n4 n2".
std::string Labels(const IdSet& nodes);

}  // namespace coppice::search
