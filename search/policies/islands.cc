#include "search/policies/islands.h"

#include <string>
#include <utility>
#include <vector>

#include "search/indexed_policy.h"
#include "search/indexes/pending_changes.h"
#include "search/indexes/top_share.h"
#include "search/policies/candidate_pools.h"
#include "search/policies/exploit.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

constexpr std::int64_t kLeastElite = 3;
constexpr std::int64_t kEliteShare = 10;  // One in so many.

struct Island {
  std::int64_t commits = 0;  // Of its own branches, passing or not.
  IdSet passing;
  TopShare elite{kLeastElite, kEliteShare};
  IdSet emigrants;  // Natives of the elite that have not migrated.
  IdSet migrated;   // Natives that have.
};

class Archipelago final : public TreeIndex {
 public:
  explicit Archipelago(const IslandsOptions& options)
      : generation_(options.generation),
        pools_(options.max_failed_repairs),
        islands_(static_cast<std::size_t>(options.islands)) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    pools_.OnAdd(tree, node);
    homes_.push_back(node == kRootNode ? 0 : HomeOf(tree, node));
    if (node == kRootNode) return;
    const std::size_t home = homes_.back();
    Island& island = islands_[home];
    if (Passes(tree, node)) Settle(tree, home, node);
    ++island.commits;
    if (island.commits / generation_ > generations_) {
      ++generations_;
      Migrate(tree);
    }
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
    in_flight_ += flight_changes_.Take(tree, parent);
  }

  const CandidatePools& pools() const { return pools_; }

  std::size_t Turn(const Tree& tree) const {
    return static_cast<std::size_t>(tree.Size() + in_flight_) % islands_.size();
  }

  const Island& At(std::size_t island) const { return islands_[island]; }

 private:
  std::uint32_t HomeOf(const Tree& tree, NodeId node) const {
    const NodeId parent = tree.Parent(node);
    if (parent != kRootNode) {
      return homes_[static_cast<std::size_t>(Index(parent))];
    }
    const auto nth = static_cast<std::size_t>(tree.ChildCount(kRootNode) - 1);
    return static_cast<std::uint32_t>(nth % islands_.size());
  }

  void Settle(const Tree& tree, std::size_t at, NodeId node) {
    Island& island = islands_[at];
    island.passing.Insert(node);
    const TopShare::Change change =
        island.elite.Add(node, *tree.Node(node).runtime_s);
    if (change.out) island.emigrants.Erase(*change.out);
    if (change.in && IsNative(*change.in, at) &&
        !island.migrated.Contains(*change.in)) {
      island.emigrants.Insert(*change.in);
    }
  }

  bool IsNative(NodeId node, std::size_t island) const {
    return homes_[static_cast<std::size_t>(Index(node))] == island;
  }

  // All leave before any arrives, so that the order of islands is nothing.
  void Migrate(const Tree& tree) {
    std::vector<std::pair<std::size_t, NodeId>> arrivals;
    const std::size_t count = islands_.size();
    for (std::size_t from = 0; from < count; ++from) {
      const std::size_t next = (from + 1) % count;
      const std::size_t previous = (from + count - 1) % count;
      IdSet& emigrants = islands_[from].emigrants;
      while (count > 1 && emigrants.Count() > 0) {
        const NodeId node = emigrants.At(0);
        emigrants.Erase(node);
        islands_[from].migrated.Insert(node);
        arrivals.emplace_back(next, node);
        if (previous != next) arrivals.emplace_back(previous, node);
      }
    }
    for (const auto& [to, node] : arrivals) Settle(tree, to, node);
  }

  int generation_;
  CandidatePools pools_;
  std::vector<Island> islands_;
  std::vector<std::uint32_t> homes_;  // By node.
  std::int64_t generations_ = 0;      // Of the busiest island.
  PendingChanges flight_changes_;
  std::int64_t in_flight_ = 0;  // On all nodes.
};

class Islands final : public IndexedPolicy<Archipelago> {
 public:
  explicit Islands(IslandsOptions options) : options_(options) {}

  std::string_view Name() const override { return "islands"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Archipelago>(options_);
  }

 private:
  Selection Select(const Tree& tree, const Archipelago& archipelago,
                   RandomStream& stream) const override {
    if (auto draft = SelectDraft(tree, options_.drafts)) {
      return *std::move(draft);
    }
    if (auto debug =
            SelectDebug(archipelago.pools(), options_.debug_share, stream)) {
      return *std::move(debug);
    }
    const std::size_t turn = archipelago.Turn(tree);
    const Island& island = archipelago.At(turn);
    const std::string where = "island " + std::to_string(turn);
    if (island.passing.Count() == 0) {
      return {kRootNode, "draft: nothing passes on " + where};
    }
    const double draw = stream.Uniform();
    if (draw < options_.explore_share) {
      return SelectUniformly(island.passing, "improve",
                             "passing nodes of " + where, stream);
    }
    if (draw < options_.explore_share + options_.archive_share) {
      return SelectUniformly(island.elite.Members(), "improve",
                             "of the elite of " + where, stream);
    }
    return SelectUniformly(archipelago.pools().Passing(), "improve",
                           "passing nodes of all islands", stream);
  }

  IslandsOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeIslands(IslandsOptions options) {
  return std::make_unique<Islands>(options);
}

}  // namespace coppice::search
