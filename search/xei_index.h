// What search/xei.h needs of a tree: its nodes in classes, each by speed.
#pragma once

#include <optional>

#include "search/attempt_tally.h"
#include "search/branches.h"
#include "search/class_heaps.h"
#include "search/lineage.h"
#include "search/tree.h"
#include "search/tree_index.h"

namespace coppice::search {

// What the nodes of one class have in common.  Counts are exact up to 15, and
// above go by their first four bits.
struct XeiClass {
  enum Kind : std::uint64_t { kEdit, kEditRepair, kHopRepair };
  Kind kind = kEdit;
  int tries = 0;  // Children of a passing node; repairs up to a failing one.
  int improving = 0;  // Children.

  // Ordered as (kind, tries, improving).
  ClassHeaps::Class Code() const;
  static XeiClass Decode(ClassHeaps::Class code);
};

class XeiIndex final : public TreeIndex {
 public:
  // Keeps branches if their worth is given.
  explicit XeiIndex(std::optional<BranchWorth> branches);

  void OnAdd(const Tree& tree, NodeId node) override;
  void OnFlight(const Tree& tree, NodeId parent) override;

  const Lineage& lineage() const { return lineage_; }
  const AttemptTally& tally() const { return tally_; }

  // The nodes that may be selected but the root, by log speedup: a passing
  // one's own, a failing one's base's; 0 of one that mends a first hop.
  const ClassHeaps& heaps() const { return heaps_; }

  // REQUIRES: it keeps them.
  const Branches& branches() const { return *branches_; }

  // The best log speedup of all but the root.
  std::optional<double> best() const { return best_; }

  // The last node that beat the incumbent before it by more than noise.
  std::optional<NodeId> incumbent() const { return incumbent_; }

 private:
  void Record(NodeId node, double speed);
  void Place(const Tree& tree, NodeId node);

  Lineage lineage_;
  AttemptTally tally_;
  ClassHeaps heaps_;
  std::optional<double> best_;
  std::optional<NodeId> incumbent_;
  double incumbent_speed_ = 0.0;
  std::optional<Branches> branches_;
};

}  // namespace coppice::search
