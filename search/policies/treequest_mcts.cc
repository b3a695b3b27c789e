#include "search/policies/treequest_mcts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <vector>

#include "search/indexed_policy.h"
#include "search/indexes/subtree_scores.h"

namespace coppice::search {
namespace {

class TreeQuestMcts final : public WeighingPolicy<SubtreeScores> {
 public:
  std::string_view Name() const override { return "treequest_mcts"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<SubtreeScores>();
  }

 private:
  Selection Select(const Tree& tree, const SubtreeScores& scores, RandomStream&,
                   Weighing* weighing) const override {
    if (tree.Size() % 2 == 0) {
      const NodeId parent = tree.Parent(NodeId{tree.Size() - 1});
      if (IsExpandable(tree.Node(parent))) return {parent, "its second sample"};
    }
    NodeId at = kRootNode;
    std::array<char, 64> reason{"a leaf"};
    if (weighing != nullptr) weighing->measure = "bound among its siblings";
    while (true) {
      const std::vector<NodeId> children = SubtreeScores::Contenders(tree, at);
      if (children.empty()) return {at, reason.data()};
      const double visits = std::max(scores.Subtree(at).count, 1.0);
      const double weights = SumOfWeights(tree, scores, at);
      const bool is_single = tree.ChildCount(at) == 1;
      std::optional<double> largest;
      for (const NodeId child : children) {
        const ScoreMoments& below = scores.Subtree(child);
        const double prior =
            is_single ? 1.0 : std::exp(scores.Own(child)) / weights;
        const double bound = below.sum / below.count +
                             std::numbers::sqrt2 * prior *
                                 std::sqrt(std::log(visits) / below.count);
        if (weighing != nullptr) weighing->Add(child, bound);
        if (largest && bound <= *largest) continue;
        largest = bound;
        at = child;
      }
      std::snprintf(reason.data(), reason.size(), "a leaf, by a bound of %.3f",
                    *largest);
    }
  }

  // The siblings that are no candidate are of the softmax, too.
  static double SumOfWeights(const Tree& tree, const SubtreeScores& scores,
                             NodeId parent) {
    double sum = 0.0;
    for (const NodeId child : tree.Children(parent)) {
      sum += std::exp(scores.Own(child));
    }
    return sum;
  }
};

}  // namespace

std::unique_ptr<Policy> MakeTreeQuestMcts() {
  return std::make_unique<TreeQuestMcts>();
}

}  // namespace coppice::search
