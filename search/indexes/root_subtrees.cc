#include "search/indexes/root_subtrees.h"

#include <algorithm>
#include <cmath>

namespace coppice::search {
namespace {

constexpr double kDeviationOfFew = 0.2;
constexpr double kLeastVariance = 1e-4;

ClassHeaps::Class BranchClass(NodeId branch) {
  return static_cast<ClassHeaps::Class>(Index(branch));
}

}  // namespace

void RootSubtrees::OnAdd(const Tree& tree, const Lineage& lineage,
                         NodeId node) {
  if (node == kRootNode) return;
  std::optional<double> speed;
  if (Passes(tree, node)) speed = LogSpeedup(tree, node);
  Update(lineage.Of(node).branch, 1, speed);
  Place(tree, lineage, node);
  Place(tree, lineage, tree.Parent(node));
}

void RootSubtrees::OnFlight(const Tree& tree, const Lineage& lineage,
                            NodeId parent) {
  if (parent == kRootNode) return;
  Update(lineage.Of(parent).branch, flights_.Take(tree, parent), std::nullopt);
  Place(tree, lineage, parent);
}

void RootSubtrees::Update(NodeId branch, int visits,
                          std::optional<double> speed) {
  const auto [entry, added] = branches_.try_emplace(branch);
  Branch& state = entry->second;
  if (!added) {
    ClassesOf(state).Erase(branch, state.visits, state.best.value_or(0.0));
  }
  state.visits = static_cast<std::uint32_t>(
      static_cast<std::int64_t>(state.visits) + visits);
  if (speed && (!state.best || *speed > *state.best)) {
    // The sums change with nodes only, never with attempts in flight, so that
    // their rounding is a function of the tree.
    const double before = state.best.value_or(0.0);
    proven_count_ += state.best ? 0 : 1;
    best_sum_ += *speed - before;
    best_squares_ += *speed * *speed - before * before;
    state.best = *speed;
  }
  ClassesOf(state).Insert(branch, state.visits, state.best.value_or(0.0));
}

std::optional<VisitClasses::Winner> RootSubtrees::Best(double c, std::int64_t n,
                                                       NodeId except) const {
  const auto count = static_cast<double>(proven_count_);
  const double mean = proven_count_ > 0 ? best_sum_ / count : 0.0;
  const double deviation =
      proven_count_ > 1
          ? std::sqrt(
                std::max(best_squares_ / count - mean * mean, kLeastVariance))
          : kDeviationOfFew;
  const double log_n = std::log(1.0 + static_cast<double>(n));
  const auto bonus = [&](std::uint32_t visits) {
    return c * deviation * std::sqrt(log_n / (1.0 + visits));
  };
  const auto proven = proven_.Best(bonus, except);
  const auto unproven = unproven_.Best(
      [&](std::uint32_t visits) { return mean - deviation + bonus(visits); },
      except);
  if (!proven || !unproven) return proven ? proven : unproven;
  return proven->Beats(*unproven) ? proven : unproven;
}

std::optional<NodeId> RootSubtrees::BestWithin(NodeId branch) const {
  return nodes_.Top(BranchClass(branch));
}

std::optional<double> RootSubtrees::WorthOf(const Tree& tree,
                                            const Lineage& lineage,
                                            NodeId node) const {
  if (!tree.Eligible().Contains(node)) return std::nullopt;
  const Lineage::Descent& descent = lineage.Of(node);
  const int children = tree.ChildCount(node) + tree.InFlight(node);
  if (Passes(tree, node)) {
    const double improving = descent.improving_children;
    return std::log((worth_.improve * worth_.weight + improving) /
                    (worth_.weight + children)) +
           LogSpeedup(tree, node) / worth_.scale;
  }
  if (children > 0) return std::nullopt;
  const double base = descent.base == kRootNode
                          ? -worth_.hop_repair_loss
                          : LogSpeedup(tree, descent.base) / worth_.scale;
  return worth_.log_first_repair - worth_.repair_loss * descent.repair + base;
}

void RootSubtrees::Place(const Tree& tree, const Lineage& lineage,
                         NodeId node) {
  if (node == kRootNode) return;
  if (const auto worth = WorthOf(tree, lineage, node)) {
    nodes_.Put(node, BranchClass(lineage.Of(node).branch), *worth);
  } else {
    nodes_.Erase(node);
  }
}

}  // namespace coppice::search
