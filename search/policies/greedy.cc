#include "search/policies/greedy.h"

#include "search/policies/exploit.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Greedy final : public Policy {
 public:
  std::string_view Name() const override { return "greedy"; }

  Selection Select(const Tree& tree, RandomStream& stream) const override {
    return Exploit(tree, stream);
  }

  Selection SelectAloud(const Tree& tree, RandomStream& stream,
                        Weighing& weighing) const override {
    return Exploit(tree, stream, &weighing);
  }
};

}  // namespace

std::unique_ptr<Policy> MakeGreedy() { return std::make_unique<Greedy>(); }

}  // namespace coppice::search
