// The in-memory tree that policies read, with indexes kept up to date on every
// append, so that a selection is O(log n) or better at a million nodes.
//
// All of it can be rebuilt from the stored nodes and the attempts in flight; it
// holds no other state.  Not thread-safe: the engine selects and appends in one
// critical section.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "store/records/node.h"
#include "store/records/window.h"

namespace coppice::search {

// Which nodes a policy may select at all.  An attempt in flight counts as a
// child of its parent, for the throttle and for being a leaf.
struct Eligibility {
  static constexpr int kNoLimit = std::numeric_limits<int>::max();
  // Root throttling: the root is ineligible once it has this many children.
  int max_root_children = kNoLimit;
  // Dead-branch pruning: a node with more than this many committed children,
  // all failing, is ineligible.
  int max_failing_children = kNoLimit;
};

class Tree final : public Genealogy {
 public:
  explicit Tree(Eligibility rule);
  ~Tree() override;
  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;

  // REQUIRES: node.id is the next one; its parent, if any, is in the tree.
  void Add(const NodeSummary& node);

  // An attempt on `parent` was reserved, or has ended (committed or not).
  void BeginAttempt(NodeId parent);
  void EndAttempt(NodeId parent);

  std::int64_t Size() const;
  const NodeSummary& Node(NodeId node) const;
  std::optional<NodeId> Best() const;  // Fastest passing; ties: lowest id.

  // Genealogy.
  std::vector<NodeId> Children(NodeId node) const override;
  NodeId Parent(NodeId node) const override;
  std::vector<NodeId> Leaders(NodeId outside, int limit) const override;

 private:
  struct Indexes;
  std::unique_ptr<Indexes> indexes_;
};

}  // namespace coppice::search
