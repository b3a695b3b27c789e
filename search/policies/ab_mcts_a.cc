#include "search/policies/ab_mcts_a.h"

#include <optional>
#include <string>
#include <vector>

#include "search/indexed_policy.h"
#include "search/indexes/subtree_scores.h"
#include "search/score_belief.h"
#include "store/records/formatted.h"

namespace coppice::search {
namespace {

double DrawNormal(const ScoreMoments& scores, RandomStream& stream) {
  return NormalBelief::After(0.0, scores).Draw(stream);
}

double DrawBeta(const ScoreMoments& scores, RandomStream& stream) {
  return BetaBelief::After(0.5, scores).Draw(stream);
}

class AbMctsA final : public WeighingPolicy<SubtreeScores> {
 public:
  using Draw = double (*)(const ScoreMoments&, RandomStream&);

  AbMctsA(std::string_view name, Draw draw) : name_(name), draw_(draw) {}

  std::string_view Name() const override { return name_; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<SubtreeScores>();
  }

 private:
  Selection Select(const Tree& tree, const SubtreeScores& scores,
                   RandomStream& stream, Weighing* weighing) const override {
    if (weighing != nullptr) weighing->measure = "draw among its siblings";
    NodeId at = kRootNode;
    while (true) {
      const std::vector<NodeId> children = SubtreeScores::Contenders(tree, at);
      if (children.empty()) return {at, "a leaf, by draws from the root"};
      const double generate = draw_(scores.Children(at), stream);
      const double go_on = draw_(scores.Deeper(at), stream);
      if (generate >= go_on) {
        return {at, Formatted("GEN draws %.3f, CONT %.3f", generate, go_on)};
      }
      std::optional<double> largest;
      for (const NodeId child : children) {
        const double draw = draw_(scores.Subtree(child), stream);
        if (weighing != nullptr) weighing->Add(child, draw);
        if (largest && draw <= *largest) continue;
        largest = draw;
        at = child;
      }
    }
  }

  std::string_view name_;
  Draw draw_;
};

}  // namespace

std::unique_ptr<Policy> MakeAbMctsA() {
  return std::make_unique<AbMctsA>("ab_mcts_a", DrawNormal);
}

std::unique_ptr<Policy> MakeAbMctsABeta() {
  return std::make_unique<AbMctsA>("ab_mcts_a_beta", DrawBeta);
}

}  // namespace coppice::search
