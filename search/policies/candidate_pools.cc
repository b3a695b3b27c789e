#include "search/policies/candidate_pools.h"

#include <cassert>
#include <string>

#include "search/policies/exploit.h"
#include "store/records/random.h"

namespace coppice::search {

void CandidatePools::OnAdd(const Tree& tree, NodeId node) {
  lineage_.Add(tree, node);
  if (node == kRootNode) return;
  if (Passes(tree, node)) {
    passing_.Insert(node);
    if (!fastest_ || IsFaster(tree, node, *fastest_)) fastest_ = node;
  }
  Refresh(tree, node);
  Refresh(tree, tree.Parent(node));
}

void CandidatePools::OnFlight(const Tree& tree, NodeId parent) {
  Refresh(tree, parent);
}

void CandidatePools::Refresh(const Tree& tree, NodeId node) {
  if (node == kRootNode) return;
  const bool leaf = tree.EligibleLeaves().Contains(node);
  const bool passes = Passes(tree, node);
  const auto keep = [node](IdSet& pool, bool member) {
    member ? pool.Insert(node) : pool.Erase(node);
  };
  keep(passing_leaves_, leaf && passes);
  keep(debug_leaves_,
       leaf && !passes && lineage_.Of(node).repair <= max_failed_repairs_);
}

bool IsFaster(const Tree& tree, NodeId a, NodeId b) {
  const double runtime_a = *tree.Node(a).runtime_s;
  const double runtime_b = *tree.Node(b).runtime_s;
  return runtime_a != runtime_b ? runtime_a < runtime_b : a < b;
}

double Promise(const Tree& tree, const Lineage& lineage, NodeId node) {
  if (Passes(tree, node)) return LogSpeedup(tree, node);
  const NodeId base = lineage.Of(node).base;
  return Passes(tree, base) ? LogSpeedup(tree, base) : 0.0;
}

std::optional<Selection> SelectDraft(const Tree& tree, int drafts) {
  const int begun = tree.ChildCount(kRootNode) + tree.InFlight(kRootNode);
  if (begun >= drafts) return std::nullopt;
  return Selection{kRootNode, "draft: " + std::to_string(begun) + " of " +
                                  std::to_string(drafts) + " are begun"};
}

std::optional<Selection> SelectDebug(const CandidatePools& pools,
                                     double probability, RandomStream& stream) {
  const bool debug = stream.Uniform() < probability;
  if (!debug || pools.DebugLeaves().Count() == 0) return std::nullopt;
  return SelectUniformly(pools.DebugLeaves(), "debug", "failing leaves",
                         stream);
}

Selection SelectFastest(const Tree& tree, const CandidatePools& pools) {
  const std::optional<NodeId> fastest = pools.Fastest();
  if (!fastest) return {kRootNode, "draft: no other node passes"};
  return {*fastest, "improve: lowest runtime " +
                        FormatRuntime(*tree.Node(*fastest).runtime_s)};
}

Selection SelectByTournament(const Tree& tree, const IdSet& nodes,
                             std::int64_t youngest, int entrants,
                             RandomStream& stream) {
  assert(entrants >= 1 && youngest >= 1 && youngest <= nodes.Count());
  const auto draw = [&] {
    const auto k = stream.Below(static_cast<std::uint64_t>(youngest));
    return nodes.At(nodes.Count() - 1 - static_cast<std::int64_t>(k));
  };
  NodeId winner = draw();
  for (int i = 1; i < entrants; ++i) {
    const NodeId entrant = draw();
    if (IsFaster(tree, entrant, winner)) winner = entrant;
  }
  return {winner, "improve: " + FormatRuntime(*tree.Node(winner).runtime_s) +
                      ", fastest of " + std::to_string(entrants) +
                      " drawn from " + std::to_string(youngest)};
}

}  // namespace coppice::search
