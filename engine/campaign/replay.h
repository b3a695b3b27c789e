// Makes the decisions of a campaign's policies again: each from the tree, the
// attempts in flight, the random stream and the directives that it was made
// with.  What a policy chooses rests on nothing else, so it must choose the
// same. So do the rules that choose among models, and so does what a person
// chose.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/selection.h"
#include "store/read/decision_state.h"
#include "store/read/snapshot.h"
#include "store/records/result.h"

namespace coppice {
struct NodeSummary;
}
namespace coppice::search {
class Policy;
class Tree;
}  // namespace coppice::search

namespace coppice::engine {

struct Remade {
  const store::DecisionRecord& recorded;
  std::int64_t in_flight = 0;  // Attempts, when it was made.
  search::Selection again;
  std::vector<ModelPick> picks_again;
  const search::Tree& seen;                    // That it was made from.
  std::optional<DirectiveId> directive_again;  // By which a person chose.
  const search::Policy& policy;  // That it was made by, if no person chose.

  bool Agrees() const {
    return directive_again == recorded.directive &&
           again.node == recorded.parent && again.mate == recorded.mate &&
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

// Makes one decision again, as Replay does, but none of those before it.
// `nodes` are all that there are, or more, as they count for now.  Visits
// nothing if nobody chose it.
Result<void> ReplayOne(const store::DecisionState& decision_state,
                       const std::vector<NodeSummary>& nodes,
                       std::uint64_t seed, const PolicyMaker& make_policy,
                       const std::function<void(const Remade&)>& visit);

}  // namespace coppice::engine
