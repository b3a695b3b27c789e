#include "search/policies/shinka_repairing.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "search/weighted_draw.h"
#include "store/records/formatted.h"

namespace coppice::search {
namespace {

class Archive final : public TreeIndex {
 public:
  explicit Archive(const ShinkaRepairingOptions& options)
      : capacity_(static_cast<std::size_t>(options.archive)),
        pools_(options.max_failed_repairs) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    pools_.OnAdd(tree, node);
    if (node == kRootNode || !Passes(tree, node)) return;
    const auto place = std::upper_bound(
        fastest_.begin(), fastest_.end(), node,
        [&](NodeId a, NodeId b) { return IsFaster(tree, a, b); });
    fastest_.insert(place, node);
    if (fastest_.size() > capacity_) fastest_.pop_back();
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
  }

  const CandidatePools& pools() const { return pools_; }
  const std::vector<NodeId>& Fastest() const { return fastest_; }

 private:
  std::size_t capacity_;
  CandidatePools pools_;
  std::vector<NodeId> fastest_;  // The fastest first.
};

class ShinkaRepairing : public IndexedPolicy<Archive> {
 public:
  explicit ShinkaRepairing(ShinkaRepairingOptions options)
      : options_(options) {}

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Archive>(options_);
  }

 protected:
  const ShinkaRepairingOptions& Options() const { return options_; }

 private:
  virtual std::vector<double> Weights(
      const Tree& tree, const std::vector<NodeId>& fastest) const = 0;

  Selection Select(const Tree& tree, const Archive& archive,
                   RandomStream& stream) const override {
    if (auto draft = SelectDraft(tree, options_.drafts)) {
      return *std::move(draft);
    }
    if (auto debug =
            SelectDebug(archive.pools(), options_.debug_share, stream)) {
      return *std::move(debug);
    }
    const std::vector<NodeId>& fastest = archive.Fastest();
    if (fastest.empty()) return {kRootNode, "draft: no other node passes"};
    const std::vector<double> weights = Weights(tree, fastest);
    const std::size_t drawn = DrawByWeight(weights, stream);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    return {
        fastest[drawn],
        Formatted("improve: rank %zu of %zu, chance %.3f", drawn + 1,
                  fastest.size(), total > 0.0 ? weights[drawn] / total : 0.0)};
  }

  ShinkaRepairingOptions options_;
};

class RepairingWeighted final : public ShinkaRepairing {
 public:
  using ShinkaRepairing::ShinkaRepairing;

  std::string_view Name() const override { return "shinka_repairing"; }

 private:
  std::vector<double> Weights(
      const Tree& tree, const std::vector<NodeId>& fastest) const override {
    std::vector<double> log_speedups;
    std::vector<int> children;
    for (const NodeId node : fastest) {
      log_speedups.push_back(LogSpeedup(tree, node));
      children.push_back(tree.ChildCount(node) + tree.InFlight(node));
    }
    return ShinkaWeights(log_speedups, children, Options().lambda);
  }
};

class RepairingPowerLaw final : public ShinkaRepairing {
 public:
  using ShinkaRepairing::ShinkaRepairing;

  std::string_view Name() const override {
    return "shinka_repairing_power_law";
  }

 private:
  std::vector<double> Weights(
      const Tree&, const std::vector<NodeId>& fastest) const override {
    std::vector<double> weights;
    for (std::size_t rank = 1; rank <= fastest.size(); ++rank) {
      weights.push_back(std::pow(static_cast<double>(rank), -Options().alpha));
    }
    return weights;
  }
};

}  // namespace

std::unique_ptr<Policy> MakeShinkaRepairing(ShinkaRepairingOptions options) {
  return std::make_unique<RepairingWeighted>(options);
}

std::unique_ptr<Policy> MakeShinkaRepairingPowerLaw(
    ShinkaRepairingOptions options) {
  return std::make_unique<RepairingPowerLaw>(options);
}

}  // namespace coppice::search
