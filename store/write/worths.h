// The worth of stored nodes (store/records/worth.h), worked out from their
// evaluations.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/records/ids.h"
#include "store/records/worth.h"

namespace coppice::store {

class Connection;

// The node whose evaluations stand for those of `node`: mostly itself.
NodeId OriginalOf(Connection& connection, CampaignId campaign, NodeId node);

// The node of these tokens that was judged; none: nobody has proposed them.
// REQUIRES: they are a candidate's: the hash is not 0.
std::optional<NodeId> FindKernel(Connection& connection, CampaignId campaign,
                                 std::uint64_t kernel_hash);

// A node is worth what was found of it, and the root what it is by definition.
// REQUIRES: the first finding is not further.
Worth WorthOfNode(NodeId original, std::vector<Evidence> findings);

// REQUIRES: `original` has an evaluation.
Worth ComputeWorth(Connection& connection, CampaignId campaign,
                   NodeId original);

// Stores it with the node and with all of the same tokens.
void PutWorth(Connection& connection, CampaignId campaign, NodeId original,
              const Worth& worth);

// Nodes that are stored as counting for something else.
struct Misjudged {
  CampaignId campaign{};
  NodeId original{};
  std::string what;  // In words.
};
std::vector<Misjudged> FindMisjudged(Connection& connection);

}  // namespace coppice::store
