// The branches of a tree, one below each first hop: how often each was visited,
// its best log speedup, and the node in it that is worth most.  For policies
// that choose a branch before a node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "search/indexes/class_heaps.h"
#include "search/indexes/pending_changes.h"
#include "search/indexes/visit_classes.h"
#include "search/lineage.h"
#include "search/tree.h"

namespace coppice::search {

// A node in a branch is worth, in log speedup m and with n children (and
// attempts in flight) of which b improve,
//
//   passing   ln((improve weight + b) / (weight + n)) + m / scale
//   failing   log_first_repair - repair_loss k + m / scale
//
// where of a failing node m is its base's and k the repairs that led to it. For
// a first hop, whose base is the root, -hop_repair_loss stands for m / scale. A
// failing node with a child (or an attempt in flight) is not selected.
struct SubtreeWorth {
  double improve = 0.25;     // Chance that an edit improves, before any count.
  double weight = 10.0;      // In children, of that chance.
  double scale = 0.1;        // Log speedup that is worth a factor e.
  double repair_loss = 0.7;  // A factor of 2 in chance.
  double log_first_repair = -3.0;
  double hop_repair_loss = 20.0;
};

class RootSubtrees {
 public:
  explicit RootSubtrees(SubtreeWorth worth) : worth_(worth) {}

  // REQUIRES: called for every node, in order, after lineage.Add.
  void OnAdd(const Tree& tree, const Lineage& lineage, NodeId node);
  void OnFlight(const Tree& tree, const Lineage& lineage, NodeId parent);

  // The branch with the largest upper bound
  //
  //   m + c s sqrt(ln(1 + n) / (1 + v))
  //
  // with m its best log speedup, v its nodes and attempts in flight, n the
  // tree's size, and s the deviation of m over the branches where a node
  // passes (0.01 at least; 0.2 below two of them).  A branch where none passes
  // has the mean of m less s.  Auer, Cesa-Bianchi, Fischer 2002 (UCB1), over
  // maxima.  A step a distinct v.  None if there is no branch but `except`.
  std::optional<VisitClasses::Winner> Best(double c, std::int64_t n,
                                           NodeId except) const;

  // The node of the branch that is worth most.  None if none may be selected.
  std::optional<NodeId> BestWithin(NodeId branch) const;

 private:
  struct Branch {
    std::uint32_t visits = 0;
    std::optional<double> best;
  };

  void Update(NodeId branch, int visits, std::optional<double> speed);
  VisitClasses& ClassesOf(const Branch& state) {
    return state.best ? proven_ : unproven_;
  }
  std::optional<double> WorthOf(const Tree& tree, const Lineage& lineage,
                                NodeId node) const;
  void Place(const Tree& tree, const Lineage& lineage, NodeId node);

  SubtreeWorth worth_;
  std::map<NodeId, Branch> branches_;
  VisitClasses proven_;    // Subtrees where a node passes, by their best.
  VisitClasses unproven_;  // The others; their value is 0.
  std::int64_t proven_count_ = 0;
  double best_sum_ = 0.0;  // Over the proven.
  double best_squares_ = 0.0;
  ClassHeaps nodes_;  // By branch.
  PendingChanges flights_;
};

}  // namespace coppice::search
