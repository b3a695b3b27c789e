#include "engine/replay.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/random.h"

namespace coppice::engine {
namespace {

// The board as it was before each decision.
class Past {
 public:
  Past(const store::Annals& annals, search::Tree empty,
       std::int64_t quarantines)
      : annals_(annals), quarantines_(quarantines), tree_(std::move(empty)) {
    for (std::int64_t i = 0; i < quarantines; ++i) {
      const auto& refuted = annals.quarantines[static_cast<std::size_t>(i)];
      refuted_.emplace(refuted.node, refuted.verdict);
    }
  }

  std::int64_t quarantines() const { return quarantines_; }
  const search::Tree& tree() const { return tree_; }
  std::int64_t in_flight() const {
    return static_cast<std::int64_t>(in_flight_.size());
  }

  // Those who come by one decision after the other see no less of the nodes.
  Result<void> BringTo(const store::DecisionRecord& to) {
    for (; begun_ < to.decision; ++begun_) {
      const auto& decision = annals_.decisions[Position(begun_)];
      TRY_DONE(LandUntil(decision.nodes_seen));
      tree_.BeginAttempt(decision.parent);
      in_flight_.emplace(decision.decision, decision.parent);
    }
    return LandUntil(to.nodes_seen);
  }

 private:
  static std::size_t Position(std::int64_t index) {
    return static_cast<std::size_t>(index);
  }

  Result<void> LandUntil(std::int64_t nodes) {
    while (tree_.Size() < nodes) {
      const store::Arrival& arrival = annals_.arrivals[Position(tree_.Size())];
      if (arrival.decision) {
        const auto flight = in_flight_.find(*arrival.decision);
        if (flight == in_flight_.end()) {
          return Fail(Errc::kCorrupt,
                      "node " + std::to_string(Index(arrival.node.id)) +
                          " was seen before decision " +
                          std::to_string(*arrival.decision) + " was made");
        }
        tree_.EndAttempt(flight->second);
        in_flight_.erase(flight);
      }
      NodeSummary node = arrival.node;
      if (const auto found = refuted_.find(node.id); found != refuted_.end()) {
        node.verdict = found->second;
        node.runtime_s.reset();
      }
      tree_.Add(node);
    }
    return {};
  }

  const store::Annals& annals_;
  const std::int64_t quarantines_;
  std::map<NodeId, Verdict> refuted_;
  search::Tree tree_;
  std::map<std::int64_t, NodeId> in_flight_;
  std::int64_t begun_ = 0;
};

Result<void> CheckSeen(const store::Annals& annals,
                       const store::DecisionRecord& decision) {
  const auto nodes = static_cast<std::int64_t>(annals.arrivals.size());
  const auto refuted = static_cast<std::int64_t>(annals.quarantines.size());
  if (decision.nodes_seen <= nodes && decision.further_seen <= refuted &&
      Index(decision.parent) < decision.nodes_seen) {
    return {};
  }
  return Fail(Errc::kCorrupt, "decision " + std::to_string(decision.decision) +
                                  " saw what is not there");
}

}  // namespace

Result<void> Replay(const store::Annals& annals, std::uint64_t seed,
                    const PolicyMaker& make_policy,
                    const std::function<bool(const Remade&)>& visit) {
  std::string name;
  std::unique_ptr<search::Policy> policy;
  std::optional<Past> past;
  for (const store::DecisionRecord& decision : annals.decisions) {
    TRY_DONE(CheckSeen(annals, decision));
    if (decision.policy == kImportPolicy) continue;  // Nobody chose it.
    if (policy == nullptr || decision.policy != name) {
      TRY(made, make_policy(decision.policy));
      policy = std::move(made);
      name = decision.policy;
      past.reset();  // Its tree follows the rule of another.
    }
    if (!past || past->quarantines() != decision.further_seen) {
      past.emplace(annals, search::MakeTreeFor(*policy),
                   decision.further_seen);
    }
    TRY_DONE(past->BringTo(decision));
    RandomStream stream(seed, Purpose::kSelect,
                        static_cast<std::uint64_t>(decision.decision));
    const Remade remade{decision, past->in_flight(),
                        policy->Select(past->tree(), stream), past->tree()};
    if (!visit(remade)) return {};
  }
  return {};
}

}  // namespace coppice::engine
