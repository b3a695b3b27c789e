#include "search/policies/stark_debug.h"

#include <algorithm>
#include <string>
#include <vector>

#include "search/arg_min.h"
#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "search/policies/exploit.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Freshness final : public TreeIndex {
 public:
  explicit Freshness(const StarkDebugOptions& options)
      : options_(options), pools_(options.max_failed_repairs) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    pools_.OnAdd(tree, node);
    stale_.push_back(0);
    if (node != kRootNode) {
      int& stale = stale_[static_cast<std::size_t>(Index(tree.Parent(node)))];
      stale = pools_.Descents().Of(node).improves ? 0 : stale + 1;
      Refresh(tree, tree.Parent(node));
    }
    Refresh(tree, node);
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
    Refresh(tree, parent);
  }

  const CandidatePools& pools() const { return pools_; }
  // The eligible passing node with the highest log speedup less its penalty.
  std::optional<NodeId> Best() const { return best_.Top(); }
  // The failing leaf of the highest promise.
  std::optional<NodeId> BestToDebug() const { return best_to_debug_.Top(); }

  // Attempts on the node, those in flight too, since one improved on it.
  int Stale(const Tree& tree, NodeId node) const {
    return stale_[static_cast<std::size_t>(Index(node))] + tree.InFlight(node);
  }

 private:
  void Refresh(const Tree& tree, NodeId node) {
    if (tree.Eligible().Contains(node) && Passes(tree, node)) {
      best_.Set(node, Penalty(tree, node) - LogSpeedup(tree, node));
    } else {
      best_.Erase(node);
    }
    if (pools_.DebugLeaves().Contains(node)) {
      best_to_debug_.Set(node, -Promise(tree, pools_.Descents(), node));
    } else {
      best_to_debug_.Erase(node);
    }
  }

  double Penalty(const Tree& tree, NodeId node) const {
    if (node == kRootNode) return 0.0;
    const int beyond = Stale(tree, node) - options_.stale_children + 1;
    return options_.stale_penalty * std::max(0, beyond);
  }

  StarkDebugOptions options_;
  CandidatePools pools_;
  std::vector<int> stale_;  // Children since one improved on the node.
  ArgMin best_;
  ArgMin best_to_debug_;
};

class StarkDebug final : public IndexedPolicy<Freshness> {
 public:
  explicit StarkDebug(StarkDebugOptions options) : options_(options) {}

  std::string_view Name() const override { return "stark_debug"; }

  Eligibility Rule() const override {
    return {.max_root_children = options_.n_root,
            .max_failing_children = options_.n_child};
  }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Freshness>(options_);
  }

 private:
  Selection Select(const Tree& tree, const Freshness& index,
                   RandomStream& stream) const override {
    if (stream.Uniform() < options_.epsilon) {
      if (auto explored = Explore(tree, index, stream)) {
        return *std::move(explored);
      }
    }
    const std::optional<NodeId> best = index.Best();
    if (!best) return Exploit(tree, stream);
    return {*best, "exploit: " + FormatRuntime(*tree.Node(*best).runtime_s) +
                       ", " + std::to_string(index.Stale(tree, *best)) +
                       " attempts since it was improved on"};
  }

  std::optional<Selection> Explore(const Tree& tree, const Freshness& index,
                                   RandomStream& stream) const {
    const bool debug = stream.Uniform() < options_.debug_share;
    const std::optional<NodeId> failing = index.BestToDebug();
    if (debug && failing) {
      const std::int64_t leaves = index.pools().DebugLeaves().Count();
      return Selection{*failing, "explore: made from the fastest, of " +
                                     std::to_string(leaves) +
                                     " failing leaves"};
    }
    const IdSet& leaves = index.pools().PassingLeaves();
    if (leaves.Count() == 0) return std::nullopt;
    return SelectByTournament(tree, leaves, leaves.Count(), options_.entrants,
                              stream);
  }

  StarkDebugOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeStarkDebug(StarkDebugOptions options) {
  return std::make_unique<StarkDebug>(options);
}

}  // namespace coppice::search
