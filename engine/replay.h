// Makes the decisions of a campaign's policies again: each from the tree, the
// attempts in flight and the random stream that its policy had.  What a policy
// chooses rests on nothing else, so it must choose the same.  So do the rules
// that choose among models.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/policy.h"
#include "store/records/result.h"
#include "store/snapshot.h"

namespace coppice::engine {

struct Remade {
  const store::DecisionRecord& recorded;
  std::int64_t in_flight = 0;  // Attempts, when it was made.
  search::Selection again;
  std::vector<ModelPick> picks_again;
  const search::Tree& seen;  // That it was made from.

  bool Agrees() const {
    return again.node == recorded.parent && again.mate == recorded.mate &&
           again.reason == recorded.reason && picks_again == recorded.picks;
  }
};

using PolicyMaker =
    std::function<Result<std::unique_ptr<search::Policy>>(std::string_view)>;

// Visits the decisions in order until `visit` returns false.  kCorrupt if the
// annals contradict themselves; kUsage if there is no policy of a name in them.
Result<void> Replay(const store::Annals& annals, std::uint64_t seed,
                    const PolicyMaker& make_policy,
                    const std::function<bool(const Remade&)>& visit);

}  // namespace coppice::engine
