#include "search/indexes/subtree_rewards.h"

#include <algorithm>
#include <cmath>

#include "search/lineage.h"

namespace coppice::search {
namespace {

// The reward of the nearest passing node above, or of the root.
double RewardOfBase(const Tree& tree, NodeId node) {
  while (node != kRootNode) {
    node = tree.Parent(node);
    if (Passes(tree, node)) return RewardOf(LogSpeedup(tree, node));
  }
  return RewardOf(0.0);
}

}  // namespace

double RewardOf(double log_speedup) {
  return 1.0 / (1.0 + std::exp(-2.0 * log_speedup));
}

double UctBonus(double log_parent_visits, std::uint32_t visits) {
  return std::sqrt(log_parent_visits / visits);
}

void SubtreeRewards::OnAdd(const Tree& tree, NodeId node) {
  const bool passes = Passes(tree, node);
  const double reward =
      passes ? RewardOf(LogSpeedup(tree, node)) : RewardOfBase(tree, node);
  subtrees_.push_back({1, passes ? 1u : 0u, reward});
  if (node == kRootNode) return;
  wide_children_.Welcome(tree, node,
                         [this](VisitClasses& crowd, NodeId member) {
                           crowd.Insert(member, Visits(member), Reward(member));
                         });
  ChangePath(tree, tree.Parent(node), [&](Subtree& subtree) {
    ++subtree.visits;
    if (!passes) return;
    if (subtree.passing++ == 0) {
      subtree.reward = reward;
    } else if (backup_ == Backup::kMean) {
      subtree.reward += reward;
    } else {
      subtree.reward = std::max(subtree.reward, reward);
    }
  });
}

void SubtreeRewards::OnFlight(const Tree& tree, NodeId parent) {
  const int change = flights_.Take(tree, parent);
  ChangePath(tree, parent, [change](Subtree& subtree) {
    subtree.visits = static_cast<std::uint32_t>(
        static_cast<std::int64_t>(subtree.visits) + change);
  });
}

double SubtreeRewards::Reward(NodeId node) const {
  const Subtree& subtree = Of(node);
  return backup_ == Backup::kMean && subtree.passing > 1
             ? subtree.reward / subtree.passing
             : subtree.reward;
}

std::optional<VisitClasses::Winner> SubtreeRewards::BestChild(
    const Tree& tree, NodeId node, double c, Weighing* weighing) const {
  const auto tell = [weighing](const VisitClasses::Winner& winner) {
    if (weighing != nullptr) weighing->Add(winner.node, winner.worth);
  };
  const double log_visits = std::log(Visits(node));
  const auto bonus = [&](std::uint32_t visits) {
    return c * UctBonus(log_visits, visits);
  };
  if (const VisitClasses* crowd = wide_children_.Below(node)) {
    return crowd->Best(bonus, {}, tell);
  }
  std::optional<VisitClasses::Winner> best;
  for (const NodeId child : tree.Children(node)) {
    if (!tree.Eligible().Contains(child)) continue;
    const VisitClasses::Winner winner{child,
                                      Reward(child) + bonus(Visits(child))};
    tell(winner);
    if (!best || winner.Beats(*best)) best = winner;
  }
  return best;
}

template <class Change>
void SubtreeRewards::ChangePath(const Tree& tree, NodeId from, Change change) {
  for (NodeId node = from;; node = tree.Parent(node)) {
    VisitClasses* crowd = wide_children_.Around(tree, node);
    if (crowd) crowd->Erase(node, Visits(node), Reward(node));
    change(subtrees_[static_cast<std::size_t>(Index(node))]);
    if (crowd) crowd->Insert(node, Visits(node), Reward(node));
    if (node == kRootNode) return;
  }
}

}  // namespace coppice::search
