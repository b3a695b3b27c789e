// Visits and rewards of every subtree, and the child with the largest upper
// bound.  For rules that descend from the root: search/policies/mcts.h says
// what counts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/indexes/pending_changes.h"
#include "search/indexes/visit_classes.h"
#include "search/indexes/wide_children.h"
#include "search/policy.h"
#include "search/tree.h"
#include "search/tree_index.h"

namespace coppice::search {

enum class Backup { kMean, kMax };

// 1 / (1 + exp(-2 m)) of the log speedup m.
double RewardOf(double log_speedup);

// sqrt(ln N / n): what exploration weighs.  REQUIRES: visits >= 1.
double UctBonus(double log_parent_visits, std::uint32_t visits);

class SubtreeRewards final : public TreeIndex {
 public:
  explicit SubtreeRewards(Backup backup) : backup_(backup) {}

  // O(depth).
  void OnAdd(const Tree& tree, NodeId node) override;
  void OnFlight(const Tree& tree, NodeId parent) override;

  // Nodes of the subtree, and attempts in flight there.
  std::uint32_t Visits(NodeId node) const { return Of(node).visits; }
  double Reward(NodeId node) const;  // Q.

  // The child with the largest Reward + c UctBonus.  None if no child holds a
  // candidate.  `weighing` is told of those compared, unless it is null.
  std::optional<VisitClasses::Winner> BestChild(
      const Tree& tree, NodeId node, double c,
      Weighing* weighing = nullptr) const;

 private:
  struct Subtree {
    std::uint32_t visits = 0;
    std::uint32_t passing = 0;
    double reward = 0.0;  // Sum or maximum over the passing; if there is none,
                          // the reward of what the node was made from.
  };

  const Subtree& Of(NodeId node) const {
    return subtrees_[static_cast<std::size_t>(Index(node))];
  }
  template <class Change>
  void ChangePath(const Tree& tree, NodeId from, Change change);

  Backup backup_;
  std::vector<Subtree> subtrees_;  // By node.
  WideChildren<VisitClasses> wide_children_;
  PendingChanges flights_;
};

}  // namespace coppice::search
