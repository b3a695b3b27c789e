#include "search/policies/reflexion.h"

#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Reflexion final : public Policy {
 public:
  std::string_view Name() const override { return "reflexion"; }

  Selection Select(const Tree& tree, RandomStream&) const override {
    // No limit is set, so the eligible nodes are those with a candidate.
    const IdSet& candidates = tree.Eligible();
    if (candidates.Count() == 0) {
      return {kRootNode, "chain: the root, no node has a candidate"};
    }
    const NodeId latest = candidates.At(candidates.Count() - 1);
    const bool is_last = Index(latest) == tree.Size() - 1;
    return {latest, is_last ? "chain: the latest attempt"
                            : "chain: the latest attempt with a candidate"};
  }
};

}  // namespace

std::unique_ptr<Policy> MakeReflexion() {
  return std::make_unique<Reflexion>();
}

}  // namespace coppice::search
