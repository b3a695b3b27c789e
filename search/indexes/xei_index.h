// What search/policies/xei.h needs of a tree: its nodes in classes, each by
// speed.
#pragma once

#include <optional>

#include "search/indexes/attempt_tally.h"
#include "search/indexes/class_heaps.h"
#include "search/indexes/root_subtrees.h"
#include "search/lineage.h"
#include "search/tree.h"
#include "search/tree_index.h"

namespace coppice::search {

// What the nodes of one class have in common.  Counts are exact up to 15, and
// above go by their first four bits.
struct XeiClass {
  // A mending is of what never ran; kHinted is of one with a hint (HintOf),
  // whatever it was made from.
  enum Kind : std::uint64_t {
    kEdit,
    kEditRepair,
    kHopRepair,
    kEditMending,
    kHopMending,
    kHinted
  };
  Kind kind = kEdit;
  int tries = 0;  // Children of a passing node; repairs up to a failing one.
  int improving = 0;  // Children.

  // Ordered as (kind, tries, improving).
  ClassHeaps::Class Code() const;
  static XeiClass Decode(ClassHeaps::Class code);
};

// What a hinted node is believed to be worth once it is repaired, in log
// speedup: what it was made for and its hint, each by the inverse of its
// variance.
struct HintBelief {
  double doubt = 0.2;        // Deviation of a hint from that.
  double hop_mean = -0.3;    // Of first hops before their hints: mean
  double hop_spread = 0.4;   // and deviation.
  double edit_spread = 0.3;  // Of edits about their base.
};

class XeiIndex final : public TreeIndex {
 public:
  // Keeps branches if their worth is given, and tells failures apart, by
  // whether they compile and by hints, if it is said what these are worth.
  explicit XeiIndex(std::optional<SubtreeWorth> branches,
                    std::optional<HintBelief> hints = std::nullopt);

  void OnAdd(const Tree& tree, NodeId node) override;
  void OnFlight(const Tree& tree, NodeId parent) override;

  const Lineage& lineage() const { return lineage_; }
  const AttemptTally& tally() const { return tally_; }

  // The nodes that may be selected but the root, by log speedup: a passing
  // one's own, a failing one's base's; 0 of one that mends a first hop; of a
  // hinted one what it is believed to have once it is repaired.
  const ClassHeaps& heaps() const { return heaps_; }

  // REQUIRES: it keeps them.
  const RootSubtrees& branches() const { return *branches_; }

  // The best log speedup of all but the root.
  std::optional<double> best() const { return best_; }

  // The last node that beat the incumbent before it by more than noise.
  std::optional<NodeId> incumbent() const { return incumbent_; }

 private:
  void Record(NodeId node, double speed);
  void Place(const Tree& tree, NodeId node);
  void PlaceFailing(const Tree& tree, NodeId node);

  Lineage lineage_;
  AttemptTally tally_;
  ClassHeaps heaps_;
  std::optional<double> best_;
  std::optional<NodeId> incumbent_;
  double incumbent_speed_ = 0.0;
  std::optional<RootSubtrees> branches_;
  std::optional<HintBelief> hints_;
};

}  // namespace coppice::search
