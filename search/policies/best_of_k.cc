#include "search/policies/best_of_k.h"

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Sampling final : public Policy {
 public:
  std::string_view Name() const override { return "best_of_k"; }

  Selection Select(const Tree&, RandomStream&) const override {
    return {kRootNode, "sample: always the root"};
  }
};

// Only what failed is built on, so a chain of failing nodes is one sample.
class RepairedSampling final : public IndexedPolicy<CandidatePools> {
 public:
  explicit RepairedSampling(int repairs) : repairs_(repairs) {}

  std::string_view Name() const override { return "best_of_k"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<CandidatePools>(repairs_ - 1);
  }

 private:
  Selection Select(const Tree&, const CandidatePools& pools,
                   RandomStream&) const override {
    const IdSet& failed = pools.DebugLeaves();
    if (failed.Count() == 0) return {kRootNode, "sample: from the root"};
    return {failed.At(0), "repair: a sample that failed"};
  }

  int repairs_;
};

}  // namespace

std::unique_ptr<Policy> MakeBestOfK(BestOfKOptions options) {
  if (options.repairs == 0) return std::make_unique<Sampling>();
  return std::make_unique<RepairedSampling>(options.repairs);
}

}  // namespace coppice::search
