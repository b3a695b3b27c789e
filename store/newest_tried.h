// The techniques of a campaign's newest nodes, which each prompt is told of.
// They are kept: who asks again reads only what came since.  What keeps them is
// private to this folder.
//
// REQUIRES: the caller is inside Connection::Read or Write.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/records/ids.h"

namespace coppice::store {

class Connection;

struct TriedNode {
  NodeId node{};
  std::string technique;  // Empty: none given.
};

class NewestTried {
 public:
  explicit NewestTried(Connection& connection) : connection_(connection) {}

  // So many at most of those below `before`, the last first, without the root.
  std::vector<TriedNode> Below(CampaignId campaign, NodeId before,
                               std::size_t most);

  // After a roll-back: what was read may not be there.
  void Forget() { nodes_.clear(); }

 private:
  void ReadOn(NodeId before, std::size_t most);

  Connection& connection_;
  CampaignId campaign_{};
  std::vector<TriedNode> nodes_;  // By number, without a gap.
};

}  // namespace coppice::store
