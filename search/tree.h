// The in-memory tree that policies read, with indexes kept up to date on every
// append, so that a selection is O(log n) or better at a million nodes.
//
// All of it can be rebuilt from the stored nodes, the attempts in flight and
// what is left of the budget; it holds no other state.  Not thread-safe: the
// engine selects and appends in one critical section.
//
// A node is
//   passing     if its verdict is `passed`
//   failing     if its verdict is neither that nor `inconclusive`
//   expandable  if it has a candidate to plan on or to debug: one that is
//               decided, the first of its tokens, and not frozen by a person
//   a leaf      if it has no child and no attempt on it is in flight
//   eligible    if it is expandable and the policy's rule does not forbid it
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/arg_min.h"
#include "search/eligibility.h"
#include "search/id_set.h"
#include "search/tree_index.h"
#include "store/records/ids.h"
#include "store/records/node_summary.h"
#include "store/records/verdict.h"
#include "store/records/window.h"

namespace coppice::search {

// Whether an attempt on it could be made at all, whatever a policy's rule.
bool IsExpandable(const NodeSummary& node);

class Tree final : public FamilyTree {
 public:
  explicit Tree(Eligibility rule, std::unique_ptr<TreeIndex> index = nullptr)
      : rule_(rule), index_(std::move(index)) {}

  // REQUIRES: node.id is the next one; its parent is in the tree, and only the
  // root has none; it has a finite runtime if and only if it passed, and a hint
  // only if its output was wrong.
  void Add(const NodeSummary& node);

  // An attempt on `parent` was reserved, or has ended (committed or not).
  // REQUIRES: EndAttempt follows a BeginAttempt of the same parent.
  void BeginAttempt(NodeId parent);
  void EndAttempt(NodeId parent);

  // How many attempts the campaign may yet begin, before each decision; none:
  // nobody said.
  void SetAttemptsLeft(std::optional<std::int64_t> left) {
    attempts_left_ = left;
  }
  std::optional<std::int64_t> AttemptsLeft() const { return attempts_left_; }

  std::int64_t Size() const { return static_cast<std::int64_t>(nodes_.size()); }
  const NodeSummary& Node(NodeId node) const;  // Valid while the tree lives.
  int Depth(NodeId node) const;                // Of the root: 0.
  int ChildCount(NodeId node) const;           // Committed.
  int FailingChildCount(NodeId node) const;    // Committed.
  const VerdictCounts& Verdicts() const { return verdicts_; }  // Of all nodes.
  int InFlight(NodeId node) const;  // Attempts on this node.
  // Nodes that have some, by number.
  void VisitInFlight(
      const std::function<void(NodeId node, int attempts)>& visit) const;
  // Whether `node` is `top` or descends from it.  O(log depth).
  bool IsWithin(NodeId node, NodeId top) const;
  std::optional<NodeId> Best() const;  // Fastest passing; ties: lowest id.

  // By the rule.
  std::optional<NodeId> BestEligible() const { return best_eligible_.Top(); }
  const IdSet& Eligible() const { return eligible_; }
  const IdSet& EligibleLeaves() const { return eligible_leaves_; }
  const IdSet& EligibleFailing() const { return eligible_failing_; }

  // What it was made with.
  const TreeIndex* index() const { return index_.get(); }

  std::vector<NodeId> Children(NodeId node) const;  // In commit order.
  NodeId Parent(NodeId node) const;  // REQUIRES: node is not the root.

  // Relatives.
  std::int64_t CountRelatives(Kinship kinship, NodeId of) const override;
  std::vector<NodeId> RelativesAt(
      Kinship kinship, NodeId of,
      const std::vector<std::int64_t>& places) const override;
  std::int64_t CountPassing(Kinship kinship, NodeId of,
                            std::int64_t most) const override;
  // Visits nodes from the fastest on, so O((limit + s) log n) with s the
  // nodes passed over: repeated sources, and those inside the subtree.
  std::vector<NodeId> Leaders(NodeId outside, int limit) const override;
  std::vector<NodeId> LeadersAmong(NodeId outside, int size) const override;

 private:
  // Links are ordinals in 32 bits: they are most of a node's memory.
  struct Links {
    std::uint32_t last_child = 0;  // 0: none, for the root is nobody's child.
    std::uint32_t previous_sibling = 0;
    std::uint32_t children = 0;
    std::uint32_t failing_children = 0;
    std::uint32_t depth = 0;
    std::uint32_t jump = 0;  // An ancestor further up; see IsWithin.
  };

  const Links& LinksOf(NodeId node) const;
  std::vector<NodeId> Relatives(Kinship kinship, NodeId of) const;
  void LinkToParent(const NodeSummary& node, Links& links);
  void Count(const NodeSummary& node);
  bool IsEligible(NodeId node) const;
  void Refresh(NodeId node);
  bool IsSlower(std::uint32_t a, std::uint32_t b) const;
  // Passing nodes from the fastest on, until it returns false.
  void VisitFastest(const std::function<bool(NodeId)>& visit) const;

  Eligibility rule_;
  std::unique_ptr<TreeIndex> index_;
  std::deque<NodeSummary> nodes_;  // A deque, since growing never copies it.
  std::deque<Links> links_;
  std::map<NodeId, int> in_flight_;  // Only nodes that have some.
  ArgMin best_eligible_;             // Keyed by runtime_s.
  IdSet eligible_;
  IdSet eligible_leaves_;
  IdSet eligible_failing_;
  std::vector<std::uint32_t> fastest_;  // Binary heap of all passing nodes.
  VerdictCounts verdicts_{};
  std::optional<std::int64_t> attempts_left_;
};

}  // namespace coppice::search
