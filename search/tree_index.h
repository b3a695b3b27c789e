// Statistics that one policy keeps on a tree, beside the tree's own, so that
// its selections are O(log n) or better.
//
// An index is a function of the nodes, in their order, and of the attempts in
// flight, and of nothing else: never of when an attempt began.  So a tree that
// is rebuilt after a crash, or for a replay, has an equal index.
#pragma once

#include "store/records/ids.h"

namespace coppice::search {

class Tree;

class TreeIndex {
 public:
  virtual ~TreeIndex() = default;

  // `node` has come to the tree, whose own counts know of it already.
  virtual void OnAdd(const Tree& tree, NodeId node) = 0;

  // tree.InFlight(parent) has changed.
  virtual void OnFlight(const Tree& tree, NodeId parent) = 0;
};

}  // namespace coppice::search
