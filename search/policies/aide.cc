#include "search/policies/aide.h"

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Aide final : public IndexedPolicy<CandidatePools> {
 public:
  explicit Aide(AideOptions options) : options_(options) {}

  std::string_view Name() const override { return "aide"; }

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
    return SelectFastest(tree, pools);
  }

  AideOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeAide(AideOptions options) {
  return std::make_unique<Aide>(options);
}

}  // namespace coppice::search
