// What policies ask of a node's descent, for the indexes that need it.
//
// A node improves if it passes and is faster than its base by more than noise.
// Its base is the nearest passing node above it: what it was made from, or, if
// it repairs failures, what those were made from.
#pragma once

#include <cstdint>
#include <vector>

#include "search/tree.h"

namespace coppice::search {

bool Passes(const Tree& tree, NodeId node);

// ln(runtime of the root / runtime of the node): 0 for the root.  REQUIRES: the
// node passes.  The root's runtime counts as 1 s if the root does not pass.
double LogSpeedup(const Tree& tree, NodeId node);

// Differences in log speedup up to this are noise.
inline constexpr double kImprovement = 0.01;

class Lineage {
 public:
  struct Descent {
    NodeId branch = kRootNode;  // Its ancestor, or itself, at depth 1.
    NodeId base = kRootNode;    // The root, if nothing above it passes.
    // Failing nodes in a row right above it: which repair it is, from 1; 0 if
    // its parent passes or is the root.
    int repair = 0;
    bool improves = false;
    int improving_children = 0;
  };

  // REQUIRES: called for every node, in order.
  void Add(const Tree& tree, NodeId node);

  const Descent& Of(NodeId node) const {
    return descents_[static_cast<std::size_t>(Index(node))];
  }

 private:
  std::vector<Descent> descents_;
};

}  // namespace coppice::search
