// The children of nodes that have very many, each such crowd in an order that
// finds the best without a scan.  Nodes with up to kFew children have none:
// those are compared one by one, which costs no memory.
//
// Members are the children that hold a candidate.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "search/tree.h"

namespace coppice::search {

template <class Crowd>
class WideChildren {
 public:
  static constexpr int kFew = 16;

  // The crowd of the node's children; null if it has few.
  const Crowd* Below(NodeId node) const {
    const auto crowd = wide_children_.find(Index(node));
    return crowd == wide_children_.end() ? nullptr : &crowd->second;
  }

  // The one that the node is a member of; null if it is in none.
  Crowd* Around(const Tree& tree, NodeId node) {
    if (node == kRootNode || !tree.Eligible().Contains(node)) return nullptr;
    const NodeId parent = tree.Parent(node);
    if (tree.ChildCount(parent) <= kFew) return nullptr;
    return &wide_children_[Index(parent)];
  }

  // Brings a new node among its siblings, and them together if it makes a
  // crowd: insert(crowd, node) for each.
  template <class Insert>
  void Welcome(const Tree& tree, NodeId node, Insert insert) {
    const NodeId parent = tree.Parent(node);
    const auto join = [&](NodeId child) {
      if (Crowd* crowd = Around(tree, child)) insert(*crowd, child);
    };
    if (tree.ChildCount(parent) == kFew + 1) {
      wide_children_.try_emplace(Index(parent));  // Even if it has no members.
      for (const NodeId child : tree.Children(parent)) join(child);
    } else {
      join(node);
    }
  }

 private:
  std::unordered_map<std::int64_t, Crowd> wide_children_;
};

}  // namespace coppice::search
