// By how much the attempts in flight on a node have changed, for an index that
// is told only that they have.
#pragma once

#include <map>

#include "search/tree.h"

namespace coppice::search {

class PendingChanges {
 public:
  // Since the last call for this parent.
  int Take(const Tree& tree, NodeId parent) {
    const int now = tree.InFlight(parent);
    int& seen = seen_[parent];
    const int change = now - seen;
    seen = now;
    if (now == 0) seen_.erase(parent);
    return change;
  }

 private:
  std::map<NodeId, int> seen_;  // Only nodes that have some.
};

}  // namespace coppice::search
