#include "search/best_of_k.h"

namespace coppice::search {
namespace {

class BestOfK final : public Policy {
 public:
  std::string_view Name() const override { return "best_of_k"; }

  Selection Select(const Tree&, RandomStream&) const override {
    return {kRootNode, "sample: always the root"};
  }
};

}  // namespace

std::unique_ptr<Policy> MakeBestOfK() { return std::make_unique<BestOfK>(); }

}  // namespace coppice::search
