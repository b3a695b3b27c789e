#include "search/policies/evolutionary.h"

#include <algorithm>

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Evolutionary final : public IndexedPolicy<CandidatePools> {
 public:
  explicit Evolutionary(EvolutionaryOptions options) : options_(options) {}

  std::string_view Name() const override { return "evolutionary"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<CandidatePools>(options_.max_failed_repairs);
  }

 private:
  Selection Select(const Tree& tree, const CandidatePools& pools,
                   RandomStream& stream) const override {
    if (auto draft = SelectDraft(tree, options_.drafts)) {
      return *std::move(draft);
    }
    if (auto debug = SelectDebug(pools, options_.debug_share, stream)) {
      return *std::move(debug);
    }
    const bool elite = stream.Uniform() < options_.elite_share;
    if (!pools.Fastest()) return SelectFastest(tree, pools);
    Selection selection =
        elite ? SelectFastest(tree, pools) : Compete(tree, pools, stream);
    if (options_.cross > 0.0 && stream.Uniform() < options_.cross) {
      const NodeId mate = Compete(tree, pools, stream).node;
      if (mate != selection.node) {
        selection.mate = mate;
        selection.reason = "cross: " + selection.reason;
      }
    }
    return selection;
  }

  Selection Compete(const Tree& tree, const CandidatePools& pools,
                    RandomStream& stream) const {
    const std::int64_t alive =
        std::min<std::int64_t>(pools.Passing().Count(), options_.population);
    return SelectByTournament(tree, pools.Passing(), alive, options_.tournament,
                              stream);
  }

  EvolutionaryOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeEvolutionary(EvolutionaryOptions options) {
  return std::make_unique<Evolutionary>(options);
}

}  // namespace coppice::search
