// What policies ask of a tree, found by scanning all of it: written from the
// definitions, for tests that hold an index to them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/policy.h"
#include "search/text_tree.h"
#include "search/tree.h"

namespace coppice::search {

class TreeScan {
 public:
  // The tree must outlive it.
  explicit TreeScan(const TextTree& tree) : tree_(tree) {}

  std::vector<NodeId> Nodes() const;  // In commit order, the root first.
  const NodeSummary& Node(NodeId node) const;
  NodeId Parent(NodeId node) const { return *Node(node).parent; }
  std::vector<NodeId> Children(NodeId node) const;
  int InFlight(NodeId node) const;
  int Attempts(NodeId node) const;  // Children and attempts in flight.
  int Depth(NodeId node) const;
  bool Passes(NodeId node) const;
  bool IsExpandable(NodeId node) const;
  bool IsFaster(NodeId a, NodeId b) const;
  double LogSpeedup(NodeId node) const;

  NodeId Branch(NodeId node) const;      // Above or at it, at depth 1.
  int FailedRepairs(NodeId node) const;  // Behind a failing node.
  double Promise(NodeId node) const;     // See candidate_pools.h.
  int AttemptsSinceImproved(NodeId node) const;

  // These leave out the root.
  std::vector<NodeId> Where(const std::function<bool(NodeId)>& holds) const;
  std::vector<NodeId> Passing() const;
  std::vector<NodeId> PassingLeaves() const;
  std::vector<NodeId> DebugLeaves(int max_failed_repairs) const;

  std::optional<NodeId> Fastest(const std::vector<NodeId>& nodes) const;
  // The lowest id of those with the highest value.
  static std::optional<NodeId> Best(const std::vector<NodeId>& nodes,
                                    const std::function<double(NodeId)>& value);

  // The fastest of some uniform draws with replacement from the last ones.
  NodeId Tournament(std::vector<NodeId> nodes, std::size_t youngest,
                    int entrants, RandomStream& stream) const;

 private:
  const TextTree& tree_;
};

NodeId DrawOne(const std::vector<NodeId>& nodes, RandomStream& stream);

// Where, over random trees, the policy first selects another node than the scan
// or draws more or less often; empty if nowhere.
std::string FirstDifference(
    const Policy& policy,
    const std::function<NodeId(const TreeScan&, RandomStream&)>& scan);

}  // namespace coppice::search
