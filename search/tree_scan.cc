#include "search/tree_scan.h"

#include <cmath>

#include "search/random_tree.h"
#include "search/tree.h"

namespace coppice::search {

std::vector<NodeId> TreeScan::Nodes() const {
  std::vector<NodeId> nodes;
  for (const NodeSummary& node : tree_.nodes) nodes.push_back(node.id);
  return nodes;
}

const NodeSummary& TreeScan::Node(NodeId node) const {
  return tree_.nodes[static_cast<std::size_t>(Index(node))];
}

std::vector<NodeId> TreeScan::Children(NodeId node) const {
  return Where([&](NodeId child) { return Parent(child) == node; });
}

int TreeScan::InFlight(NodeId node) const {
  const auto entry = tree_.in_flight.find(node);
  return entry == tree_.in_flight.end() ? 0 : entry->second;
}

int TreeScan::Attempts(NodeId node) const {
  return static_cast<int>(Children(node).size()) + InFlight(node);
}

int TreeScan::Depth(NodeId node) const {
  return node == kRootNode ? 0 : 1 + Depth(Parent(node));
}

bool TreeScan::Passes(NodeId node) const {
  return Node(node).verdict == Verdict::kPassed;
}

bool TreeScan::IsExpandable(NodeId node) const {
  return search::IsExpandable(Node(node));
}

bool TreeScan::IsFaster(NodeId a, NodeId b) const {
  return *Node(a).runtime_s < *Node(b).runtime_s ||
         (*Node(a).runtime_s == *Node(b).runtime_s && a < b);
}

double TreeScan::LogSpeedup(NodeId node) const {
  return std::log(Node(kRootNode).runtime_s.value_or(1.0) /
                  *Node(node).runtime_s);
}

NodeId TreeScan::Branch(NodeId node) const {
  return Parent(node) == kRootNode ? node : Branch(Parent(node));
}

int TreeScan::FailedRepairs(NodeId node) const {
  const NodeId parent = Parent(node);
  if (parent == kRootNode || Passes(parent)) return 0;
  return 1 + FailedRepairs(parent);
}

double TreeScan::Promise(NodeId node) const {
  if (Passes(node)) return LogSpeedup(node);
  return node == kRootNode ? 0.0 : Promise(Parent(node));
}

int TreeScan::AttemptsSinceImproved(NodeId node) const {
  int attempts = 0;
  for (const NodeId child : Children(node)) {
    const bool improves =
        Passes(child) && LogSpeedup(child) > LogSpeedup(node) + 0.01;
    attempts = improves ? 0 : attempts + 1;
  }
  return attempts + InFlight(node);
}

std::vector<NodeId> TreeScan::Where(
    const std::function<bool(NodeId)>& holds) const {
  std::vector<NodeId> found;
  for (const NodeId node : Nodes()) {
    if (node != kRootNode && holds(node)) found.push_back(node);
  }
  return found;
}

std::vector<NodeId> TreeScan::Passing() const {
  return Where([&](NodeId node) { return Passes(node); });
}

std::vector<NodeId> TreeScan::PassingLeaves() const {
  return Where([&](NodeId node) { return Passes(node) && !Attempts(node); });
}

std::vector<NodeId> TreeScan::DebugLeaves(int max_failed_repairs) const {
  return Where([&](NodeId node) {
    return !Passes(node) && IsExpandable(node) && !Attempts(node) &&
           FailedRepairs(node) <= max_failed_repairs;
  });
}

std::optional<NodeId> TreeScan::Fastest(
    const std::vector<NodeId>& nodes) const {
  return Best(nodes, [&](NodeId node) { return -*Node(node).runtime_s; });
}

std::optional<NodeId> TreeScan::Best(
    const std::vector<NodeId>& nodes,
    const std::function<double(NodeId)>& value) {
  std::optional<NodeId> best;
  for (const NodeId node : nodes) {
    if (!best || value(node) > value(*best)) best = node;
  }
  return best;
}

NodeId TreeScan::Tournament(std::vector<NodeId> nodes, std::size_t youngest,
                            int entrants, RandomStream& stream) const {
  std::optional<NodeId> winner;
  for (int i = 0; i < entrants; ++i) {
    const NodeId entrant = nodes[nodes.size() - 1 - stream.Below(youngest)];
    if (!winner || IsFaster(entrant, *winner)) winner = entrant;
  }
  return *winner;
}

NodeId DrawOne(const std::vector<NodeId>& nodes, RandomStream& stream) {
  return nodes[stream.Below(nodes.size())];
}

std::string FirstDifference(
    const Policy& policy,
    const std::function<NodeId(const TreeScan&, RandomStream&)>& scan) {
  constexpr int kRandomTrees = 2000;
  RandomStream stream(14, Purpose::kSimulation, 0);
  for (int i = 0; i < kRandomTrees; ++i) {
    const TextTree text = RandomTree(stream);
    const Tree tree = BuildTree(text, policy);
    RandomStream mine(stream.NextU64(), Purpose::kSelect, 0);
    RandomStream theirs = mine;
    const Selection selection = policy.Select(tree, mine);
    const NodeId scanned = scan(TreeScan(text), theirs);
    const bool as_often = mine.NextU64() == theirs.NextU64();
    if (selection.node == scanned && as_often) continue;
    return "tree " + std::to_string(i) + ": " + Label(selection.node) + " (" +
           selection.reason + "), by scan " + Label(scanned) +
           (as_often ? "" : "; the numbers of draws differ");
  }
  return "";
}

}  // namespace coppice::search
