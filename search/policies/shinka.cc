#include "search/policies/shinka.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "search/id_set.h"
#include "search/indexed_policy.h"
#include "search/lineage.h"
#include "search/weighted_draw.h"
#include "store/records/formatted.h"

namespace coppice::search {
namespace {

struct Archived {
  double score;
  NodeId node;
  int island;
};

// The better first: the higher score, then the newer.  The root's copies are
// equally old: the first one goes first.
bool IsBetter(const Archived& a, const Archived& b) {
  return std::tuple(a.score, Index(a.node), a.island) >
         std::tuple(b.score, Index(b.node), b.island);
}

class ShinkaIslands final : public TreeIndex {
 public:
  explicit ShinkaIslands(const ShinkaOptions& options)
      : islands_(options.islands),
        capacity_(static_cast<std::size_t>(options.archive)),
        correct_(static_cast<std::size_t>(options.islands)),
        root_children_(static_cast<std::size_t>(options.islands), 0) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    place_.push_back(IslandOf(tree, node));
    children_.push_back(0);
    if (!IsExpandable(tree.Node(node))) return;
    if (node != kRootNode) CountWithParent(tree.Parent(node));
    if (!Passes(tree, node)) {
      incorrect_.Insert(node);
      return;
    }
    const double score = std::exp(LogSpeedup(tree, node));
    if (node == kRootNode) {
      // Copies go into the archive whether they have room or not.
      capacity_ = std::max(capacity_, static_cast<std::size_t>(islands_));
      for (int island = 0; island < islands_; ++island) {
        Enter({score, node, island});
      }
    } else {
      Enter({score, node, place_.back()});
    }
  }

  void OnFlight(const Tree&, NodeId) override {}

  const std::vector<Archived>& archive() const { return archive_; }
  // The best of all islands; the root's copy is that on island 0.  REQUIRES:
  // AnyCorrect().
  Archived Best() const {
    Archived best = archive_.front();
    if (best.node == kRootNode) best.island = 0;
    return best;
  }
  const IdSet& Incorrect() const { return incorrect_; }
  const IdSet& CorrectOn(int island) const {
    return correct_[static_cast<std::size_t>(island)];
  }
  bool AnyCorrect() const { return !archive_.empty(); }
  bool EachHasCorrect() const {
    return std::ranges::none_of(
        correct_, [](const IdSet& own) { return own.Count() == 0; });
  }

  int Children(NodeId node, int island) const {
    if (node == kRootNode) {
      return root_children_[static_cast<std::size_t>(island)];
    }
    return children_[static_cast<std::size_t>(Index(node))];
  }

 private:
  int IslandOf(const Tree& tree, NodeId node) const {
    if (node == kRootNode) return 0;
    const NodeId parent = tree.Parent(node);
    if (parent != kRootNode) {
      return place_[static_cast<std::size_t>(Index(parent))];
    }
    return (tree.ChildCount(kRootNode) - 1) % islands_;
  }

  void CountWithParent(NodeId parent) {
    if (parent == kRootNode) {
      ++root_children_[static_cast<std::size_t>(place_.back())];
    } else {
      ++children_[static_cast<std::size_t>(Index(parent))];
    }
  }

  void Enter(const Archived& program) {
    correct_[static_cast<std::size_t>(program.island)].Insert(program.node);
    archive_.insert(std::ranges::upper_bound(archive_, program, IsBetter),
                    program);
    if (archive_.size() > capacity_) archive_.pop_back();
  }

  int islands_;
  std::size_t capacity_;
  std::vector<IdSet> correct_;  // By island.
  std::vector<int> root_children_;
  IdSet incorrect_;
  std::vector<int> place_;  // By node: its island.
  std::vector<int> children_;
  std::vector<Archived> archive_;  // The best first.
};

std::string ChanceOn(double chance, int island) {
  return Formatted("chance %.3f on island %d", chance, island);
}

class Shinka final : public WeighingPolicy<ShinkaIslands> {
 public:
  explicit Shinka(ShinkaOptions options) : options_(options) {}

  std::string_view Name() const override { return "shinka"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<ShinkaIslands>(options_);
  }

 private:
  Selection Select(const Tree& tree, const ShinkaIslands& islands,
                   RandomStream& stream, Weighing* weighing) const override {
    if (!islands.AnyCorrect()) return Repair(tree, islands, stream);
    if (!islands.EachHasCorrect()) {
      return {kRootNode, "the initial program: an island has no correct one"};
    }
    const int island = static_cast<int>(
        stream.Below(static_cast<std::uint64_t>(options_.islands)));
    std::vector<NodeId> members;
    std::vector<double> scores;
    std::vector<int> children;
    for (const Archived& each : islands.archive()) {
      if (each.island != island) continue;
      members.push_back(each.node);
      scores.push_back(each.score);
      children.push_back(islands.Children(each.node, island));
    }
    if (members.empty()) {
      const IdSet& correct = islands.CorrectOn(island);
      return {correct.At(DrawBelow(correct.Count(), stream)),
              "any correct one: the archive has none of island " +
                  std::to_string(island)};
    }
    const std::vector<double> weights =
        ShinkaWeights(scores, children, options_.lambda);
    const std::size_t drawn = DrawByWeight(weights, stream);
    double total = 0.0;
    for (const double weight : weights) total += weight;
    if (weighing != nullptr) {
      weighing->measure = "weight on island " + std::to_string(island);
      for (std::size_t i = 0; i < members.size(); ++i) {
        weighing->Add(members[i], weights[i]);
      }
    }
    Selection selection{
        members[drawn],
        "improve: " +
            ChanceOn(total > 0.0 ? weights[drawn] / total : 0.0, island)};
    if (members.size() > 1 && stream.Uniform() < options_.cross) {
      const Archived best = islands.Best();
      selection.mate =
          Mate(members, drawn,
               best.island == island ? best.node : members[drawn], stream);
      selection.reason.replace(0, 7, "cross");
    }
    return selection;
  }

  static std::int64_t DrawBelow(std::int64_t n, RandomStream& stream) {
    return static_cast<std::int64_t>(
        stream.Below(static_cast<std::uint64_t>(n)));
  }

  // The root is as many programs as there are islands.
  Selection Repair(const Tree& tree, const ShinkaIslands& islands,
                   RandomStream& stream) const {
    const IdSet& incorrect = islands.Incorrect();
    const std::int64_t copies =
        IsExpandable(tree.Node(kRootNode)) ? options_.islands - 1 : 0;
    const std::int64_t programs = incorrect.Count() + copies;
    if (programs == 0) return {kRootNode, "there is no program"};
    const std::int64_t drawn = DrawBelow(programs, stream);
    return {drawn < copies ? kRootNode : incorrect.At(drawn - copies),
            "repair: one of " + std::to_string(programs) +
                " programs, none correct"};
  }

  // Chooses among the members (the best first) another than the parent.  `best`
  // is the parent if the best of all is not among them.
  static NodeId Mate(const std::vector<NodeId>& members, std::size_t parent,
                     NodeId best, RandomStream& stream) {
    std::vector<NodeId> others = members;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(parent));
    std::size_t inspiration = 0;
    if (best == members[parent]) {
      inspiration = static_cast<std::size_t>(stream.Below(others.size()));
    }
    if (others.size() == 1) return others[0];
    const std::size_t next = inspiration == 0 ? 1 : 0;
    return others[stream.Below(2) == 0 ? inspiration : next];
  }

  ShinkaOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeShinka(ShinkaOptions options) {
  return std::make_unique<Shinka>(options);
}

}  // namespace coppice::search
