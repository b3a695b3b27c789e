#include "search/policies/beam.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "search/policies/exploit.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

struct BeamMember {
  NodeId node{};
  double promise = 0.0;
};

class Beams final : public TreeIndex {
 public:
  explicit Beams(const BeamOptions& options) : options_(options) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    lineage_.Add(tree, node);
    const auto depth = static_cast<std::size_t>(tree.Depth(node));
    if (depth == beams_.size()) beams_.emplace_back();
    // With no limits in the rule, the eligible hold a candidate.
    if (tree.Eligible().Contains(node)) Enter(beams_[depth], tree, node);
  }

  void OnFlight(const Tree&, NodeId) override {}

  int Deepest() const { return static_cast<int>(beams_.size()) - 1; }

  // The most promising first.
  const std::vector<BeamMember>& At(int depth) const {
    return beams_[static_cast<std::size_t>(depth)];
  }

 private:
  void Enter(std::vector<BeamMember>& beam, const Tree& tree, NodeId node) {
    const double penalty = Passes(tree, node) ? 0.0 : options_.failing_penalty;
    const BeamMember entrant{node, Promise(tree, lineage_, node) - penalty};
    beam.insert(std::upper_bound(beam.begin(), beam.end(), entrant,
                                 [](const BeamMember& a, const BeamMember& b) {
                                   return a.promise > b.promise;
                                 }),
                entrant);
    if (beam.size() > static_cast<std::size_t>(options_.width)) {
      beam.pop_back();
    }
  }

  BeamOptions options_;
  Lineage lineage_;
  std::vector<std::vector<BeamMember>> beams_;  // By depth.
};

class Beam final : public WeighingPolicy<Beams> {
 public:
  explicit Beam(BeamOptions options) : options_(options) {}

  std::string_view Name() const override { return "beam"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Beams>(options_);
  }

 private:
  static int Attempts(const Tree& tree, const BeamMember& member) {
    return tree.ChildCount(member.node) + tree.InFlight(member.node);
  }

  Selection Select(const Tree& tree, const Beams& beams, RandomStream& stream,
                   Weighing* weighing) const override {
    if (auto draft = SelectDraft(tree, options_.width * options_.samples)) {
      return *std::move(draft);
    }
    const int deepest = beams.Deepest();
    if (weighing != nullptr) {
      weighing->measure = "promise in log speedup";
      for (int depth = std::max(1, deepest - 1); depth <= deepest; ++depth) {
        for (const BeamMember& member : beams.At(depth)) {
          weighing->Add(member.node, member.promise);
        }
      }
    }
    for (int depth = std::max(1, deepest - 1); depth <= deepest; ++depth) {
      for (const BeamMember& member : beams.At(depth)) {
        if (Attempts(tree, member) < options_.samples) {
          return Extend(tree, member, depth);
        }
      }
    }
    for (int depth = deepest; depth >= std::max(1, deepest - 1); --depth) {
      const std::vector<BeamMember>& beam = beams.At(depth);
      if (beam.empty()) continue;
      return Extend(
          tree,
          *std::min_element(beam.begin(), beam.end(),
                            [&](const BeamMember& a, const BeamMember& b) {
                              return Attempts(tree, a) < Attempts(tree, b);
                            }),
          depth);
    }
    return Exploit(tree, stream);
  }

  Selection Extend(const Tree& tree, const BeamMember& member,
                   int depth) const {
    return {
        member.node,
        Formatted("beam: depth %d, promise %.3f, %d of %d children are begun",
                  depth, member.promise, Attempts(tree, member),
                  options_.samples)};
  }

  BeamOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeBeam(BeamOptions options) {
  return std::make_unique<Beam>(options);
}

}  // namespace coppice::search
