#include "search/lineage.h"

#include <cassert>
#include <cmath>

namespace coppice::search {

bool Passes(const Tree& tree, NodeId node) {
  return tree.Node(node).verdict == Verdict::kPassed;
}

double LogSpeedup(const Tree& tree, NodeId node) {
  assert(Passes(tree, node));
  return std::log(tree.Node(kRootNode).runtime_s.value_or(1.0) /
                  *tree.Node(node).runtime_s);
}

void Lineage::Add(const Tree& tree, NodeId node) {
  assert(Index(node) == static_cast<std::int64_t>(descents_.size()));
  Descent descent;
  if (node != kRootNode) {
    const NodeId parent = tree.Parent(node);
    Descent& above = descents_[static_cast<std::size_t>(Index(parent))];
    descent.branch = parent == kRootNode ? node : above.branch;
    const bool repairs = parent != kRootNode && !Passes(tree, parent);
    descent.base = repairs ? above.base : parent;
    descent.repair = repairs ? above.repair + 1 : 0;
    descent.improves = Passes(tree, node) &&
                       (!Passes(tree, descent.base) ||
                        LogSpeedup(tree, node) >
                            LogSpeedup(tree, descent.base) + kImprovement);
    above.improving_children += descent.improves ? 1 : 0;
  }
  descents_.push_back(descent);
}

}  // namespace coppice::search
