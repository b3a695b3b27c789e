// The cached leaderboard: the ten best passing nodes that are not quarantined,
// distinct in source; of equal sources the faster node, of equal runtimes the
// lower number.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write or Read.
#pragma once

#include <vector>

#include "store/blobs.h"
#include "store/records/ids.h"

namespace coppice::store {

class Connection;

inline constexpr int kLeaders = 10;

struct Leader {
  NodeId node{};
  double runtime_s = 0.0;
  BlobId source{};
};

// Best first.
std::vector<Leader> LoadLeaders(Connection& connection, CampaignId campaign);

// From all nodes, without the cache.
std::vector<NodeId> ComputeLeaders(Connection& connection, CampaignId campaign);

// Where `candidate`, a new passing node, belongs among the leaders.
std::vector<Leader> WithLeader(std::vector<Leader> leaders,
                               const Leader& candidate);

// From all nodes, after one was quarantined.
void RebuildLeaders(Connection& connection, CampaignId campaign);

// After `candidate` was committed.
void UpdateLeaders(Connection& connection, CampaignId campaign,
                   const Leader& candidate);

}  // namespace coppice::store
