#include "search/map_elites.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "search/exploit.h"
#include "search/pools.h"

namespace coppice::search {
namespace {

class Grid final : public TreeIndex {
 public:
  explicit Grid(const MapElitesOptions& options)
      : depths_(options.depths),
        branches_(static_cast<std::size_t>(options.branches)),
        pools_(options.max_failed_repairs),
        elites_(static_cast<std::size_t>(depths_) * branches_, kRootNode) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    pools_.OnAdd(tree, node);
    // By node, since a branch's column is that of its first hop.
    columns_.push_back(node == kRootNode ? 0 : ColumnOf(tree, node));
    if (node == kRootNode || !Passes(tree, node)) return;
    const auto row =
        static_cast<std::size_t>(std::min(depths_, tree.Depth(node)) - 1);
    NodeId& elite = elites_[row * branches_ + columns_.back()];
    if (elite == kRootNode) ++occupied_;
    if (elite == kRootNode || IsFaster(tree, node, elite)) elite = node;
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
  }

  const Pools& pools() const { return pools_; }
  int Occupied() const { return occupied_; }

  // Of the k-th occupied cell, row by row.  REQUIRES: 0 <= k < Occupied().
  NodeId Elite(std::int64_t k) const {
    for (const NodeId elite : elites_) {
      if (elite != kRootNode && k-- == 0) return elite;
    }
    return kRootNode;
  }

 private:
  std::uint32_t ColumnOf(const Tree& tree, NodeId node) const {
    const NodeId parent = tree.Parent(node);
    if (parent != kRootNode) {
      return columns_[static_cast<std::size_t>(Index(parent))];
    }
    const auto nth = static_cast<std::size_t>(tree.ChildCount(kRootNode) - 1);
    return static_cast<std::uint32_t>(nth % branches_);
  }

  int depths_;
  std::size_t branches_;
  Pools pools_;
  std::vector<NodeId> elites_;  // Row by row; the root: none.
  std::vector<std::uint32_t> columns_;
  int occupied_ = 0;
};

class MapElites final : public IndexedPolicy<Grid> {
 public:
  explicit MapElites(MapElitesOptions options) : options_(options) {}

  std::string_view Name() const override { return "map_elites"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Grid>(options_);
  }

 private:
  Selection Select(const Tree& tree, const Grid& grid,
                   RandomStream& stream) const override {
    if (auto draft = SelectDraft(tree, options_.drafts)) {
      return *std::move(draft);
    }
    if (auto debug = SelectDebug(grid.pools(), options_.debug_share, stream)) {
      return *std::move(debug);
    }
    const bool fastest = stream.Uniform() < options_.fastest_share;
    if (fastest || grid.Occupied() == 0) {
      return SelectFastest(tree, grid.pools());
    }
    const auto cells = static_cast<std::uint64_t>(grid.Occupied());
    const NodeId elite =
        grid.Elite(static_cast<std::int64_t>(stream.Below(cells)));
    return {elite, "improve: " + FormatRuntime(*tree.Node(elite).runtime_s) +
                       ", fastest of one of " + std::to_string(cells) +
                       " occupied cells"};
  }

  MapElitesOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeMapElites(MapElitesOptions options) {
  return std::make_unique<MapElites>(options);
}

}  // namespace coppice::search
