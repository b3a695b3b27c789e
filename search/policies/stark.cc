#include "search/policies/stark.h"

#include "search/policies/exploit.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Stark final : public Policy {
 public:
  explicit Stark(StarkOptions options) : options_(options) {}

  std::string_view Name() const override { return "stark"; }

  Eligibility Rule() const override {
    return {.max_root_children = options_.n_root,
            .max_failing_children = options_.n_child};
  }

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
    if (explore && tree.EligibleLeaves().Count() > 0) {
      return SelectUniformly(tree.EligibleLeaves(), "explore",
                             "expandable leaves", stream);
    }
    return Exploit(tree, stream, weighing);
  }

  StarkOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeStark(StarkOptions options) {
  return std::make_unique<Stark>(options);
}

}  // namespace coppice::search
