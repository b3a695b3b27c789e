#include "search/policies/successive_halving.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/arg_min.h"
#include "search/indexed_policy.h"
#include "search/indexes/pending_changes.h"
#include "search/indexes/top_share.h"
#include "search/policies/candidate_pools.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

constexpr double kNothingPasses = std::numeric_limits<double>::infinity();

// What a branch is due, if it has come as far as `stage` rungs.
struct Due {
  enum class What { kNothing, kNext, kPromotion };
  What what = What::kNothing;
  std::size_t stage = 0;
};

struct Branch {
  std::vector<std::uint32_t> nodes;  // In commit order.
  std::int64_t in_flight = 0;
  double slowness = kNothingPasses;  // Of its fastest: minus the log speedup.
  std::vector<double> stood;         // On each rung it reached, its slowness.
  // By place in `nodes`, minus the value: so that it is as long as the branch.
  ArgMin open;
  Due due;
};

struct Stage {
  std::set<NodeId> on_the_way;  // To rung `stage`.
  // To there, by slowness.
  std::set<std::pair<double, NodeId>> promotions;
};

class Rungs final : public TreeIndex {
 public:
  explicit Rungs(const SuccessiveHalvingOptions& options) : options_(options) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    lineage_.Add(tree, node);
    places_.push_back(0);
    stale_.push_back(0);
    if (node == kRootNode) return;
    const NodeId arm = lineage_.Of(node).branch;
    Branch& branch = branches_[arm];
    places_.back() = static_cast<std::uint32_t>(branch.nodes.size());
    branch.nodes.push_back(static_cast<std::uint32_t>(Index(node)));
    if (Passes(tree, node)) {
      branch.slowness = std::min(branch.slowness, -LogSpeedup(tree, node));
    }
    RefreshNode(tree, branch, node);
    if (node != arm) {
      const NodeId parent = tree.Parent(node);
      int& stale = stale_[static_cast<std::size_t>(Index(parent))];
      stale = lineage_.Of(node).improves ? 0 : stale + 1;
      RefreshNode(tree, branch, parent);
    }
    const auto nodes = static_cast<std::int64_t>(branch.nodes.size());
    if (nodes == Attempts(branch.stood.size())) Stand(arm, branch);
    RefreshBranch(arm);
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    if (parent == kRootNode) return;
    const NodeId arm = lineage_.Of(parent).branch;
    Branch& branch = branches_[arm];
    branch.in_flight += flight_changes_.Take(tree, parent);
    RefreshNode(tree, branch, parent);
    RefreshBranch(arm);
  }

  // At which rung `rung` is reached.
  std::int64_t Attempts(std::size_t rung) const {
    std::int64_t attempts = options_.first_rung;
    for (; rung > 0; --rung) attempts *= options_.eta;
    return attempts;
  }

  // What is due, with the root's child that it starts with.  None if nothing is
  // due anywhere.
  std::optional<std::pair<NodeId, Due>> Next() const {
    for (std::size_t stage = stages_.size(); stage-- > 0;) {
      const Stage& due = stages_[stage];
      if (!due.on_the_way.empty()) {
        return {{*due.on_the_way.begin(), {Due::What::kNext, stage}}};
      }
      if (!due.promotions.empty()) {
        return {
            {due.promotions.begin()->second, {Due::What::kPromotion, stage}}};
      }
    }
    return std::nullopt;
  }

  // REQUIRES: the branch is due something.
  NodeId BestIn(NodeId arm) const {
    const Branch& branch = branches_.at(arm);
    return NodeId{
        branch.nodes[static_cast<std::size_t>(Index(*branch.open.Top()))]};
  }

  std::int64_t AttemptsIn(NodeId arm) const {
    const Branch& branch = branches_.at(arm);
    return static_cast<std::int64_t>(branch.nodes.size()) + branch.in_flight;
  }

  std::int64_t Standing(std::size_t rung) const { return rungs_[rung].Count(); }

 private:
  void RefreshNode(const Tree& tree, Branch& branch, NodeId node) {
    const NodeId place{places_[static_cast<std::size_t>(Index(node))]};
    const double promise = Promise(tree, lineage_, node);
    if (Passes(tree, node)) {
      const int stale = stale_[static_cast<std::size_t>(Index(node))];
      branch.open.Set(
          place,
          options_.stale_penalty * (stale + tree.InFlight(node)) - promise);
    } else if (tree.EligibleLeaves().Contains(node)) {
      branch.open.Set(place,
                      options_.failing_penalty +
                          options_.repair_penalty * lineage_.Of(node).repair -
                          promise);
    } else {
      branch.open.Erase(place);
    }
  }

  void Stand(NodeId arm, Branch& branch) {
    const std::size_t rung = branch.stood.size();
    branch.stood.push_back(branch.slowness);
    if (rung == rungs_.size()) rungs_.emplace_back(0, options_.eta);
    const TopShare::Change change = rungs_[rung].Add(arm, branch.slowness);
    if (change.in) RefreshBranch(*change.in);
    if (change.out) RefreshBranch(*change.out);
  }

  Due DueTo(NodeId arm, const Branch& branch) const {
    if (!branch.open.Top()) return {};
    const std::int64_t attempts = AttemptsIn(arm);
    std::size_t stage = 0;
    while (Attempts(stage) <= attempts) ++stage;
    if (stage == 0 || attempts > Attempts(stage - 1)) {
      return {Due::What::kNext, stage};
    }
    // At a rung, which it stands on unless attempts are in flight.
    const bool stands = branch.stood.size() == stage;
    if (stands && branch.stood.back() != kNothingPasses &&
        rungs_[stage - 1].Members().Contains(arm)) {
      return {Due::What::kPromotion, stage};
    }
    return {};
  }

  void RefreshBranch(NodeId arm) {
    Branch& branch = branches_.at(arm);
    const Due now = DueTo(arm, branch);
    if (stages_.size() <= now.stage) stages_.resize(now.stage + 1);
    Stage& left = stages_[branch.due.stage];
    if (branch.due.what == Due::What::kNext) {
      left.on_the_way.erase(arm);
    } else if (branch.due.what == Due::What::kPromotion) {
      left.promotions.erase({branch.stood[branch.due.stage - 1], arm});
    }
    Stage& entered = stages_[now.stage];
    if (now.what == Due::What::kNext) {
      entered.on_the_way.insert(arm);
    } else if (now.what == Due::What::kPromotion) {
      entered.promotions.emplace(branch.stood[now.stage - 1], arm);
    }
    branch.due = now;
  }

  SuccessiveHalvingOptions options_;
  Lineage lineage_;
  std::map<NodeId, Branch> branches_;  // By first hop.
  std::vector<TopShare> rungs_;
  std::vector<Stage> stages_;
  std::vector<std::uint32_t> places_;  // By node.
  std::vector<int> stale_;             // Children since one improved on it.
  PendingChanges flight_changes_;
};

class Halving final : public IndexedPolicy<Rungs> {
 public:
  explicit Halving(SuccessiveHalvingOptions options) : options_(options) {}

  std::string_view Name() const override { return "halving"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Rungs>(options_);
  }

 private:
  Selection Select(const Tree&, const Rungs& rungs,
                   RandomStream&) const override {
    const auto next = rungs.Next();
    if (!next) return {kRootNode, "draft: no branch is due an attempt"};
    const auto& [arm, due] = *next;
    const std::string goal = std::to_string(rungs.Attempts(due.stage));
    std::string reason;
    if (due.what == Due::What::kPromotion) {
      reason = "promote: to " + goal + " attempts, of the fastest 1/" +
               std::to_string(options_.eta) + " of " +
               std::to_string(rungs.Standing(due.stage - 1)) + " branches";
    } else {
      reason = "continue: " + std::to_string(rungs.AttemptsIn(arm)) + " of " +
               goal + " attempts in the branch";
    }
    return {rungs.BestIn(arm), std::move(reason)};
  }

  SuccessiveHalvingOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeSuccessiveHalving(
    SuccessiveHalvingOptions options) {
  return std::make_unique<Halving>(options);
}

}  // namespace coppice::search
