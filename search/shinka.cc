#include "search/shinka.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "search/pools.h"

namespace coppice::search {
namespace {

class Archive final : public TreeIndex {
 public:
  explicit Archive(const ShinkaOptions& options)
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

  const Pools& pools() const { return pools_; }
  const std::vector<NodeId>& Fastest() const { return fastest_; }

 private:
  std::size_t capacity_;
  Pools pools_;
  std::vector<NodeId> fastest_;  // The fastest first.
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

// In proportion to the weights; one draw.  Uniform if they are all 0.
std::size_t DrawByWeight(const std::vector<double>& weights,
                         RandomStream& stream) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double draw = stream.Uniform();
  if (!(total > 0.0)) {
    return static_cast<std::size_t>(draw * static_cast<double>(weights.size()));
  }
  double left = draw * total;
  std::size_t last = 0;  // Of those with a weight, should rounding leave some.
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last;
}

class Shinka : public IndexedPolicy<Archive> {
 public:
  explicit Shinka(ShinkaOptions options) : options_(options) {}

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Archive>(options_);
  }

 protected:
  const ShinkaOptions& Options() const { return options_; }

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
    std::array<char, 64> reason{};
    std::snprintf(reason.data(), reason.size(),
                  "improve: rank %zu of %zu, chance %.3f", drawn + 1,
                  fastest.size(), total > 0.0 ? weights[drawn] / total : 0.0);
    return {fastest[drawn], reason.data()};
  }

  ShinkaOptions options_;
};

class ShinkaWeighted final : public Shinka {
 public:
  using Shinka::Shinka;

  std::string_view Name() const override { return "shinka_weighted"; }

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

class ShinkaPowerLaw final : public Shinka {
 public:
  using Shinka::Shinka;

  std::string_view Name() const override { return "shinka_power_law"; }

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

std::vector<double> ShinkaWeights(const std::vector<double>& log_speedups,
                                  const std::vector<int>& children,
                                  double lambda) {
  const double middle = Median(log_speedups);
  std::vector<double> distances;
  for (const double x : log_speedups) distances.push_back(std::abs(x - middle));
  const double spread = std::max(Median(std::move(distances)), 1e-6);
  std::vector<double> weights;
  for (std::size_t i = 0; i < log_speedups.size(); ++i) {
    const double z = lambda * (log_speedups[i] - middle) / spread;
    weights.push_back(1.0 / (1.0 + std::exp(-z)) / (1.0 + children[i]));
  }
  return weights;
}

std::unique_ptr<Policy> MakeShinkaWeighted(ShinkaOptions options) {
  return std::make_unique<ShinkaWeighted>(options);
}

std::unique_ptr<Policy> MakeShinkaPowerLaw(ShinkaOptions options) {
  return std::make_unique<ShinkaPowerLaw>(options);
}

}  // namespace coppice::search
