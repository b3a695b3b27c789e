#include "search/indexes/attempt_tally.h"

#include <cmath>

namespace coppice::search {
namespace {

void CountTry(Tally& tally, bool hit) {
  ++tally.tries;
  tally.hits += hit ? 1 : 0;
}

bool DoesNotCompile(const Tree& tree, NodeId node) {
  return tree.Node(node).verdict == Verdict::kCompileFailed;
}

}  // namespace

std::optional<double> HintOf(const Tree& tree, NodeId node) {
  const bool from_parent = DoesNotCompile(tree, node) && node != kRootNode;
  const auto& hint = tree.Node(from_parent ? tree.Parent(node) : node).log_hint;
  return hint ? std::optional<double>(*hint) : std::nullopt;
}

bool NeverRan(const Tree& tree, NodeId node) {
  return DoesNotCompile(tree, node) && !HintOf(tree, node);
}

void AttemptTally::Add(const Tree& tree, const Lineage& lineage, NodeId node) {
  if (node == kRootNode) return;
  const NodeId parent = tree.Parent(node);
  const bool passes = Passes(tree, node);
  const bool improves = lineage.Of(node).improves;
  if (parent == kRootNode) {
    CountTry(first_hops_, passes);
    if (!passes) return;
    const double steps = LogSpeedup(tree, node) / kSpeedStep;
    ++first_hop_speeds_[static_cast<int>(std::lround(steps))];
  } else if (Passes(tree, parent)) {
    CountTry(edits_, improves);
    if (!improves) return;
    total_gain_ += LogSpeedup(tree, node) - LogSpeedup(tree, parent);
  } else {
    const std::size_t step = Step(lineage.Of(parent).repair);
    const bool mends = NeverRan(tree, parent);
    CountTry(repairs_[step], passes);
    if (mends) CountTry(mendings_[step], passes);
    if (lineage.Of(parent).base != kRootNode) {
      CountTry(edit_repairs_[step], improves);
      if (mends) CountTry(edit_mendings_[step], improves);
    }
  }
}

}  // namespace coppice::search
