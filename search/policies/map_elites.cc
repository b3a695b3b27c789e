#include "search/policies/map_elites.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "search/policies/exploit.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class Grid : public TreeIndex {
 public:
  Grid(std::size_t cells, int max_failed_repairs)
      : pools_(max_failed_repairs), elites_(cells, kRootNode) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    pools_.OnAdd(tree, node);
    const std::optional<std::size_t> cell = CellOf(tree, node);
    if (!cell || node == kRootNode || !Passes(tree, node)) return;
    NodeId& elite = elites_[*cell];
    if (elite == kRootNode) ++occupied_;
    if (elite == kRootNode || IsFaster(tree, node, elite)) elite = node;
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
  }

  const CandidatePools& pools() const { return pools_; }
  int Occupied() const { return occupied_; }

  // The elite of the k-th occupied cell, row by row.  REQUIRES: 0 <= k <
  // Occupied().
  NodeId TopShare(std::int64_t k) const {
    for (const NodeId elite : elites_) {
      if (elite != kRootNode && k-- == 0) return elite;
    }
    return kRootNode;
  }

  // Says an elite's cell in words.
  virtual std::string Describe(const Tree& tree, NodeId elite) const = 0;

 private:
  // Asked of every node, in order, the root first.  None: it is in no cell.
  virtual std::optional<std::size_t> CellOf(const Tree& tree, NodeId node) = 0;

  CandidatePools pools_;
  std::vector<NodeId> elites_;  // Row by row; the root: none.
  int occupied_ = 0;
};

class BehaviourGrid final : public Grid {
 public:
  explicit BehaviourGrid(int max_failed_repairs)
      : Grid(kLimitNames.size() * kTechniqueFamilyNames.size(),
             max_failed_repairs) {}

  std::string Describe(const Tree& tree, NodeId elite) const override {
    const auto [limit, family] = tree.Node(elite).behaviour;
    return "limit " + std::string(kLimitNames.at(Place(limit))) +
           ", technique " +
           std::string(kTechniqueFamilyNames.at(Place(family))) + ": one of ";
  }

 private:
  template <class Enum>
  static std::size_t Place(Enum value) {
    return static_cast<std::size_t>(value);
  }

  std::optional<std::size_t> CellOf(const Tree& tree, NodeId node) override {
    const NodeSummary& summary = tree.Node(node);
    if (summary.is_repeat) return std::nullopt;
    const auto [limit, family] = summary.behaviour;
    return Place(limit) * kTechniqueFamilyNames.size() + Place(family);
  }
};

class DepthGrid final : public Grid {
 public:
  explicit DepthGrid(const MapElitesDepthOptions& options)
      : Grid(static_cast<std::size_t>(options.depths) *
                 static_cast<std::size_t>(options.branches),
             options.max_failed_repairs),
        depths_(options.depths),
        branches_(static_cast<std::size_t>(options.branches)) {}

  std::string Describe(const Tree&, NodeId) const override { return "one of "; }

 private:
  std::optional<std::size_t> CellOf(const Tree& tree, NodeId node) override {
    // By node, since a branch's column is that of its first hop.
    columns_.push_back(node == kRootNode ? 0 : ColumnOf(tree, node));
    if (node == kRootNode) return std::nullopt;
    const auto row =
        static_cast<std::size_t>(std::min(depths_, tree.Depth(node)) - 1);
    return row * branches_ + columns_.back();
  }

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
  std::vector<std::uint32_t> columns_;
};

class MapElites final : public IndexedPolicy<Grid> {
 public:
  using GridMaker = std::function<std::unique_ptr<Grid>()>;

  MapElites(std::string_view name, MapElitesOptions options, GridMaker make)
      : name_(name), options_(options), make_(std::move(make)) {}

  std::string_view Name() const override { return name_; }
  std::unique_ptr<TreeIndex> MakeIndex() const override { return make_(); }

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
        grid.TopShare(static_cast<std::int64_t>(stream.Below(cells)));
    return {elite, "improve: " + FormatRuntime(*tree.Node(elite).runtime_s) +
                       ", fastest of " + grid.Describe(tree, elite) +
                       std::to_string(cells) + " occupied cells"};
  }

  std::string_view name_;
  MapElitesOptions options_;
  GridMaker make_;
};

}  // namespace

std::unique_ptr<Policy> MakeMapElites(MapElitesOptions options) {
  return std::make_unique<MapElites>(
      "map_elites_behaviour", options, [options] {
        return std::make_unique<BehaviourGrid>(options.max_failed_repairs);
      });
}

std::unique_ptr<Policy> MakeMapElitesDepth(MapElitesDepthOptions options) {
  const MapElitesOptions common = {options.drafts, options.debug_share,
                                   options.max_failed_repairs,
                                   options.fastest_share};
  return std::make_unique<MapElites>("map_elites_depth", common, [options] {
    return std::make_unique<DepthGrid>(options);
  });
}

}  // namespace coppice::search
