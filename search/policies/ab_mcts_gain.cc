#include "search/policies/ab_mcts_gain.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "search/indexed_policy.h"
#include "search/indexes/pending_changes.h"
#include "search/indexes/subtree_rewards.h"
#include "search/indexes/wide_children.h"
#include "search/lineage.h"
#include "search/score_belief.h"
#include "store/records/formatted.h"

namespace coppice::search {
namespace {

enum class AbScores { kLogSpeedups, kRewards };

// Results of attempts, some still in flight.
struct AbArm {
  double passing = 0.0;
  double failing = 0.0;
  double in_flight = 0.0;
  ScoreMoments scores;  // Of the passing.
};

class AbMctsGainIndex final : public TreeIndex {
 public:
  explicit AbMctsGainIndex(AbScores scores) : scores_(scores) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    const bool passes = Passes(tree, node);
    const double score = passes ? Score(LogSpeedup(tree, node)) : 0.0;
    subtrees_.emplace_back();
    Count(subtrees_.back(), passes, score);
    if (node == kRootNode) return;
    wide_children_.Welcome(tree, node, [&](Crowd& crowd, NodeId member) {
      crowd.insert(KeyOf(tree, member));
    });
    const NodeId parent = tree.Parent(node);
    Subtree& above = subtrees_[static_cast<std::size_t>(Index(parent))];
    above.children_passing += passes ? 1 : 0;
    above.children_sum += score;
    above.children_squares += score * score;
    ChangePath(tree, parent,
               [&](Subtree& subtree) { Count(subtree, passes, score); });
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    const int change = flights_.Take(tree, parent);
    ChangePath(tree, parent,
               [change](Subtree& subtree) { subtree.in_flight += change; });
  }

  AbArm Generate(const Tree& tree, NodeId node) const {
    const Subtree& subtree = Of(node);
    const double passing = subtree.children_passing;
    const double failing = tree.ChildCount(node) - passing;
    return {
        .passing = passing,
        .failing = failing,
        .in_flight = static_cast<double>(tree.InFlight(node)),
        .scores = {passing, subtree.children_sum, subtree.children_squares}};
  }

  AbArm Continue(const Tree& tree, NodeId node) const {
    const bool passes = Passes(tree, node);
    const double own = passes ? Score(LogSpeedup(tree, node)) : 0.0;
    const AbArm children = Generate(tree, node);
    AbArm below = Descend(node);
    below.passing -= children.passing + (passes ? 1 : 0);
    below.failing -= children.failing + (passes ? 0 : 1);
    below.in_flight -= children.in_flight;
    below.scores = {below.passing, below.scores.sum - own - children.scores.sum,
                    below.scores.squares - own * own - children.scores.squares};
    return below;
  }

  AbArm Descend(NodeId child) const {
    const Subtree& subtree = Of(child);
    const double passing = subtree.passing;
    return {.passing = passing,
            .failing = static_cast<double>(subtree.failing),
            .in_flight = static_cast<double>(subtree.in_flight),
            .scores = {passing, subtree.sum, subtree.squares}};
  }

  // The children to draw for: those that hold a candidate, in order of id, or,
  // of many, the most promising, in order of that.
  std::vector<NodeId> Contenders(const Tree& tree, NodeId node) const {
    std::vector<NodeId> contenders;
    if (const Crowd* crowd = wide_children_.Below(node)) {
      for (const auto& [expected, child] : *crowd) {
        if (contenders.size() == WideChildren<Crowd>::kFew) break;
        contenders.push_back(child);
      }
      return contenders;
    }
    for (const NodeId child : tree.Children(node)) {
      if (tree.Eligible().Contains(child)) contenders.push_back(child);
    }
    return contenders;
  }

  // Its own, or that of the nearest passing node above; of none, as fast as
  // the root.
  double ScoreAt(const Tree& tree, NodeId node) const {
    while (node != kRootNode && !Passes(tree, node)) node = tree.Parent(node);
    return Score(Passes(tree, node) ? LogSpeedup(tree, node) : 0.0);
  }

  double PassChance() const {
    const Subtree& all = subtrees_.front();
    return (1.0 + all.passing) /
           (2.0 + all.passing + static_cast<double>(all.failing));
  }

 private:
  // By descending expected gain, then by id.
  using Crowd = std::set<std::pair<double, NodeId>>;

  // The node itself is counted, too.
  struct Subtree {
    std::uint32_t passing = 0;
    std::uint32_t failing = 0;
    std::int32_t in_flight = 0;
    double sum = 0.0;
    double squares = 0.0;
    std::uint32_t children_passing = 0;
    double children_sum = 0.0;
    double children_squares = 0.0;
  };

  static void Count(Subtree& subtree, bool passes, double score) {
    ++(passes ? subtree.passing : subtree.failing);
    subtree.sum += score;
    subtree.squares += score * score;
  }

  double Score(double log_speedup) const {
    return scores_ == AbScores::kRewards ? RewardOf(log_speedup) : log_speedup;
  }

  const Subtree& Of(NodeId node) const {
    return subtrees_[static_cast<std::size_t>(Index(node))];
  }

  std::pair<double, NodeId> KeyOf(const Tree& tree, NodeId child) const {
    const AbArm arm = Descend(child);
    const double gains =
        arm.scores.sum - arm.passing * ScoreAt(tree, tree.Parent(child));
    return {-gains / (2.0 + arm.passing + arm.failing + arm.in_flight), child};
  }

  template <class Change>
  void ChangePath(const Tree& tree, NodeId from, Change change) {
    for (NodeId node = from;; node = tree.Parent(node)) {
      Crowd* crowd = wide_children_.Around(tree, node);
      if (crowd) crowd->erase(KeyOf(tree, node));
      change(subtrees_[static_cast<std::size_t>(Index(node))]);
      if (crowd) crowd->insert(KeyOf(tree, node));
      if (node == kRootNode) return;
    }
  }

  AbScores scores_;
  std::vector<Subtree> subtrees_;  // By node.
  WideChildren<Crowd> wide_children_;
  PendingChanges flights_;
};

// Draws the expected gains of arms at one node.
class GainDraws {
 public:
  GainDraws(AbScores scores, double score, double pass_chance,
            RandomStream& stream)
      : scores_(scores),
        score_(score),
        pass_chance_(pass_chance),
        stream_(stream) {}

  double Draw(const AbArm& arm) {
    const double will_pass = arm.in_flight * pass_chance_;
    const double chance =
        stream_.Beta(1.0 + arm.passing + will_pass,
                     1.0 + arm.failing + arm.in_flight - will_pass);
    ScoreMoments scores = arm.scores;
    scores.count += will_pass;
    scores.sum += will_pass * score_;
    scores.squares += will_pass * score_ * score_;
    const double mean = scores_ == AbScores::kRewards
                            ? BetaBelief::After(score_, scores).Draw(stream_)
                            : NormalBelief::After(score_, scores).Draw(stream_);
    return chance * (mean - score_);
  }

 private:
  AbScores scores_;
  double score_;
  double pass_chance_;
  RandomStream& stream_;
};

std::string WidenReason(const char* what, double mine, double other) {
  return Formatted("widen: draws a gain of %.3g, %s %.3g", mine, what, other);
}

class AbMctsGain final : public WeighingPolicy<AbMctsGainIndex> {
 public:
  AbMctsGain(std::string_view name, AbScores scores)
      : name_(name), scores_(scores) {}

  std::string_view Name() const override { return name_; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<AbMctsGainIndex>(scores_);
  }

 private:
  Selection Select(const Tree& tree, const AbMctsGainIndex& index,
                   RandomStream& stream, Weighing* weighing) const override {
    if (weighing != nullptr) weighing->measure = "gain drawn among siblings";
    NodeId at = kRootNode;
    while (true) {
      const std::vector<NodeId> children = index.Contenders(tree, at);
      if (children.empty()) return {at, "a leaf, by draws from the root"};
      GainDraws draws(scores_, index.ScoreAt(tree, at), index.PassChance(),
                      stream);
      const double widen = draws.Draw(index.Generate(tree, at));
      const double deepen = draws.Draw(index.Continue(tree, at));
      if (widen > deepen) return {at, WidenReason("deepening", widen, deepen)};
      std::optional<double> largest;
      for (const NodeId child : children) {
        const double draw = draws.Draw(index.Descend(child));
        if (weighing != nullptr) weighing->Add(child, draw);
        if (largest && draw <= *largest) continue;
        largest = draw;
        at = child;
      }
    }
  }

  std::string_view name_;
  AbScores scores_;
};

}  // namespace

std::unique_ptr<Policy> MakeAbMctsGain() {
  return std::make_unique<AbMctsGain>("ab_mcts_gain", AbScores::kLogSpeedups);
}

std::unique_ptr<Policy> MakeAbMctsGainBeta() {
  return std::make_unique<AbMctsGain>("ab_mcts_gain_beta", AbScores::kRewards);
}

}  // namespace coppice::search
