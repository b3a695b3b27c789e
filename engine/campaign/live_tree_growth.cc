// How the live tree follows the file.
#include <utility>

#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/steering/steering.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/read/history.h"
#include "store/read/snapshot.h"

namespace coppice::engine {

Result<void> LiveTree::Rebuild() {
  search::Tree tree = search::MakeTreeFor(policy());
  Frost frost(frost_->marks());
  TRY(snapshot, store::ReadSnapshot(parts_.database, campaign_,
                                    [&](const NodeSummary& node) {
                                      NodeSummary touched = node;
                                      frost.Touch(touched);
                                      tree.Add(touched);
                                    }));
  *frost_ = std::move(frost);
  std::map<std::int64_t, Flight> before = std::exchange(in_flight_, {});
  *tree_ = std::move(tree);
  for (const store::Decided& decided : snapshot.in_flight) {
    TakeOff(decided.decision, decided.parent, false);
    const auto known = before.find(decided.decision);
    if (known != before.end()) in_flight_[decided.decision] = known->second;
  }
  next_decision_ = snapshot.decisions;
  further_ = snapshot.further;
  return {};
}

Result<bool> LiveTree::WouldLead(const Speedup& speedup) const {
  TRY(leaders, store::ReadLeaders(parts_.database, campaign_, 1));
  const Speedup leading =
      leaders.empty() ? Speedup{} : leaders.front().line.speedup.value();
  const Speedup over = Over(speedup, leading);
  return over.interval ? over.Sign() > 0 : over.ratio > 1.0;
}

Result<void> LiveTree::CatchUp() {
  TRY(growth, store::ReadGrowth(parts_.database, campaign_, next_decision_,
                                tree_->Size()));
  if (growth.further != further_) return Rebuild();
  // A parent may be among the arrivals, and an arrival's decision among these.
  auto decided = growth.decided.begin();
  const auto begin_until = [&](std::int64_t nodes) {
    for (; decided != growth.decided.end() && Index(decided->parent) < nodes;
         ++decided) {
      TakeOff(decided->decision, decided->parent, false);
      next_decision_ = decided->decision + 1;
    }
  };
  begin_until(tree_->Size());
  for (const store::Arrival& arrival : growth.arrivals) {
    TRY_DONE(Land(arrival.node, arrival.decision));
    begin_until(tree_->Size());
  }
  return {};
}

void LiveTree::TakeOff(std::int64_t decision, NodeId parent, bool is_ours) {
  in_flight_[decision] = {
      parent, is_ours,
      std::int64_t{tree_->ChildCount(parent)} + tree_->InFlight(parent)};
  tree_->BeginAttempt(parent);
}

Result<void> LiveTree::Land(const NodeSummary& node,
                            std::optional<std::int64_t> decision) {
  if (decision) {
    const auto flight = in_flight_.find(*decision);
    if (flight == in_flight_.end()) {
      return Fail(Errc::kCorrupt, "node " + std::to_string(Index(node.id)) +
                                      " is of decision " +
                                      std::to_string(*decision) +
                                      ", which nothing is made of now");
    }
    tree_->EndAttempt(flight->second.parent);
    in_flight_.erase(flight);
  }
  NodeSummary touched = node;
  frost_->Touch(touched);
  tree_->Add(touched);
  return {};
}

}  // namespace coppice::engine
