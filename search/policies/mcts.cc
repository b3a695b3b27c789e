#include "search/policies/mcts.h"

#include <cmath>
#include <string>

#include "search/indexed_policy.h"
#include "search/indexes/subtree_rewards.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

struct UctRule {
  std::string_view name;
  Backup backup = Backup::kMean;
  double exploration = 0.0;
  // Children of a node with N visits: factor N^power.
  double factor = 1.0;
  double power = 0.0;
};

std::string UctReason(int children, double width, double bound) {
  return Formatted("upper bound %.3g, has %d children of %.0f", bound, children,
                   std::ceil(width));
}

class Mcts final : public WeighingPolicy<SubtreeRewards> {
 public:
  explicit Mcts(const UctRule& rule) : rule_(rule) {}

  std::string_view Name() const override { return rule_.name; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<SubtreeRewards>(rule_.backup);
  }

 private:
  Selection Select(const Tree& tree, const SubtreeRewards& index, RandomStream&,
                   Weighing* weighing) const override {
    if (weighing != nullptr) weighing->measure = "upper bound among siblings";
    VisitClasses::Winner at{kRootNode, index.Reward(kRootNode)};
    while (true) {
      const double width = Width(index.Visits(at.node));
      const int children = tree.ChildCount(at.node) + tree.InFlight(at.node);
      if (children < width) {
        return {at.node, UctReason(children, width, at.worth)};
      }
      const auto child =
          index.BestChild(tree, at.node, rule_.exploration, weighing);
      if (!child) return {at.node, "no child of it holds a candidate"};
      at = *child;
    }
  }

  double Width(std::uint32_t visits) const {
    return rule_.power > 0.0 ? rule_.factor * std::pow(visits, rule_.power)
                             : rule_.factor;
  }

  UctRule rule_;
};

}  // namespace

std::unique_ptr<Policy> MakeMcts(MctsOptions options) {
  return std::make_unique<Mcts>(
      UctRule{.name = "mcts",
              .backup = Backup::kMean,
              .exploration = options.exploration,
              .factor = static_cast<double>(options.width)});
}

std::unique_ptr<Policy> MakeMctsMax(MctsOptions options) {
  return std::make_unique<Mcts>(
      UctRule{.name = "mcts_max",
              .backup = Backup::kMax,
              .exploration = options.exploration,
              .factor = static_cast<double>(options.width)});
}

std::unique_ptr<Policy> MakeMctsWidening(WideningOptions options) {
  return std::make_unique<Mcts>(UctRule{.name = "mcts_widening",
                                        .backup = Backup::kMax,
                                        .exploration = options.exploration,
                                        .factor = options.widening,
                                        .power = options.power});
}

}  // namespace coppice::search
