#include "agents/window.h"

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <vector>

namespace coppice::agents {
namespace {

std::vector<NodeId> Siblings(NodeId node, const Genealogy& tree) {
  if (node == kRootNode) return {};
  std::vector<NodeId> siblings = tree.Children(tree.Parent(node));
  std::erase(siblings, node);
  return siblings;
}

std::vector<NodeId> Nephews(NodeId node, const Genealogy& tree) {
  std::vector<NodeId> nephews;
  for (const NodeId sibling : Siblings(node, tree)) {
    const std::vector<NodeId> children = tree.Children(sibling);
    nephews.insert(nephews.end(), children.begin(), children.end());
  }
  std::ranges::sort(nephews);  // Ids are commit order; by sibling it was not.
  return nephews;
}

// Appends the groups of one window, each node under its first claim.
class Gatherer {
 public:
  void Add(const std::vector<NodeId>& nodes, Kinship kinship) {
    for (const NodeId node : nodes) {
      if (seen_.insert(node).second) window_.push_back({node, kinship, true});
    }
  }
  Window Take() { return std::move(window_); }

 private:
  std::unordered_set<NodeId> seen_;
  Window window_;
};

// Marks all but `keep` of the entries from `first` on as not shown.  Selection
// sampling (Knuth, TAOCP 2, 3.4.2, algorithm S): every subset is as likely, and
// one draw is made per entry.
void Sample(Window& window, std::size_t first, std::size_t keep,
            RandomStream& stream) {
  for (std::size_t i = first; i < window.size(); ++i) {
    window[i].shown = stream.Below(window.size() - i) < keep;
    if (window[i].shown) --keep;
  }
}

}  // namespace

Window BuildWindow(Role role, NodeId selected, const Genealogy& tree,
                   const WindowOptions& options, RandomStream& stream) {
  Gatherer gatherer;
  gatherer.Add({selected}, Kinship::kSelected);
  gatherer.Add({kRootNode}, Kinship::kRoot);
  switch (role) {
    case Role::kPlan:
      gatherer.Add(tree.Children(selected), Kinship::kChild);
      gatherer.Add(options.rule == Leaders::kBoard
                       ? tree.OfBoard(selected, options.leaders)
                       : tree.Leaders(selected, options.leaders),
                   Kinship::kLeader);
      break;
    case Role::kCode:
      gatherer.Add(tree.Children(selected), Kinship::kChild);
      gatherer.Add(Nephews(selected, tree), Kinship::kNephew);
      break;
    case Role::kDebug:
      gatherer.Add(Siblings(selected, tree), Kinship::kSibling);
      break;
  }
  Window window = gatherer.Take();
  const std::size_t fixed = selected == kRootNode ? 1 : 2;
  auto keep = static_cast<std::size_t>(std::max(options.max_history, 0));
  if (options.cap == Cap::kAll) keep -= std::min(keep, fixed);
  if (window.size() - fixed > keep) Sample(window, fixed, keep, stream);
  return window;
}

}  // namespace coppice::agents
