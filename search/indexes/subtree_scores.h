// Scores of every subtree, as TreeQuest's rules count them: results that are
// decided, 1 / (1 + exp(-2 m)) of one that passes with the log speedup m
// (RewardOf), and 0 of any other.  The root is no result.
#pragma once

#include <vector>

#include "search/score_belief.h"
#include "search/tree.h"
#include "search/tree_index.h"

namespace coppice::search {

class SubtreeScores final : public TreeIndex {
 public:
  void OnAdd(const Tree& tree, NodeId node) override;  // O(depth).
  void OnFlight(const Tree&, NodeId) override {}

  double Own(NodeId node) const { return Of(node).own; }
  // Moments over its children.
  const ScoreMoments& Children(NodeId node) const { return Of(node).children; }
  // Moments over it and all below it.
  const ScoreMoments& Subtree(NodeId node) const { return Of(node).subtree; }
  // Moments over all below its children.
  ScoreMoments Deeper(NodeId node) const;

  // The children that may be worked on, in order.
  static std::vector<NodeId> Contenders(const Tree& tree, NodeId node);

 private:
  struct Scores {
    double own = 0.0;
    ScoreMoments children;
    ScoreMoments subtree;
    ScoreMoments result;  // Its own alone; empty: it is none.
  };

  const Scores& Of(NodeId node) const {
    return scores_[static_cast<std::size_t>(Index(node))];
  }
  Scores& At(NodeId node) {
    return scores_[static_cast<std::size_t>(Index(node))];
  }

  std::vector<Scores> scores_;  // By node.
};

}  // namespace coppice::search
