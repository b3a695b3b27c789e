#include "engine/compare/counterfactual.h"

#include <cstddef>

#include "search/policy.h"
#include "search/tree.h"

namespace coppice::engine {
namespace {

std::size_t KindOf(const search::Tree& tree, NodeId node) {
  if (node == kRootNode) return static_cast<std::size_t>(NodeKind::kRoot);
  const bool passes = tree.Node(node).verdict == Verdict::kPassed;
  return static_cast<std::size_t>(passes ? NodeKind::kPassing
                                         : NodeKind::kFailing);
}

}  // namespace

Result<void> Reconsider(
    const store::Annals& annals, std::uint64_t seed,
    const std::function<Result<std::unique_ptr<search::Policy>>()>& policy,
    Counterfactual& counterfactual) {
  const auto instead_of_any = [&](std::string_view) { return policy(); };
  return Replay(annals, seed, instead_of_any, [&](const Remade& remade) {
    if (remade.recorded.directive) return true;  // A person chose it.
    const NodeId recorded = remade.recorded.parent;
    ChoiceCounts& choices = counterfactual[remade.recorded.policy].at(
        KindOf(remade.seen, recorded));
    ++choices.decisions;
    if (remade.again.node == recorded) ++choices.same_node;
    ++choices.instead.at(KindOf(remade.seen, remade.again.node));
    return true;
  });
}

}  // namespace coppice::engine
