#include "search/policies/epsilon_greedy.h"

#include "search/policies/exploit.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class EpsilonGreedy final : public Policy {
 public:
  explicit EpsilonGreedy(EpsilonGreedyOptions options) : options_(options) {}

  std::string_view Name() const override { return "epsilon_greedy"; }

  Selection Select(const Tree& tree, RandomStream& stream) const override {
    return Choose(tree, stream, nullptr);
  }

  Selection SelectAloud(const Tree& tree, RandomStream& stream,
                        Weighing& weighing) const override {
    return Choose(tree, stream, &weighing);
  }

 private:
  Selection Choose(const Tree& tree, RandomStream& stream,
                   Weighing* weighing) const {
    const bool explore = stream.Uniform() < options_.epsilon;
    if (explore && tree.Eligible().Count() > 0) {
      return SelectUniformly(tree.Eligible(), "explore", "expandable nodes",
                             stream);
    }
    return Exploit(tree, stream, weighing);
  }

  EpsilonGreedyOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeEpsilonGreedy(EpsilonGreedyOptions options) {
  return std::make_unique<EpsilonGreedy>(options);
}

}  // namespace coppice::search
