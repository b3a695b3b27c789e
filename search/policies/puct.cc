#include "search/policies/puct.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "search/indexed_policy.h"
#include "search/indexes/pending_changes.h"
#include "search/indexes/ranked_visits.h"
#include "search/lineage.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

class PuctIndex final : public TreeIndex {
 public:
  void OnAdd(const Tree& tree, NodeId node) override {
    const bool passes = Passes(tree, node);
    if (tree.Eligible().Contains(node)) Enter(tree, node);
    ++visits_;
    if (node == kRootNode) return;
    const NodeId parent = tree.Parent(node);
    if (!Passes(tree, parent)) {
      ++repairs_;
      repaired_ += passes ? 1 : 0;
    }
    AddVisits(tree, parent, 1);
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    const int change = flights_.Take(tree, parent);
    visits_ += change;
    AddVisits(tree, parent, change);
  }

  const RankedVisits& passing() const { return passing_; }
  const RankedVisits& failing() const { return failing_; }
  const RankedVisits& unfounded() const { return unfounded_; }
  std::int64_t visits() const { return visits_; }
  double RepairChance() const {
    return static_cast<double>(repaired_ + 1) /
           static_cast<double>(repairs_ + 2);
  }

  double Rank(double score) const {
    if (passing_.size() < 2) return 1.0;
    return static_cast<double>(passing_.CountBelow(score)) /
           static_cast<double>(passing_.size() - 1);
  }

 private:
  void Enter(const Tree& tree, NodeId node) {
    NodeId base = node;
    while (base != kRootNode && !Passes(tree, base)) base = tree.Parent(base);
    if (!Passes(tree, base)) return unfounded_.Insert(node, 0.0, 0);
    (base == node ? passing_ : failing_)
        .Insert(node, LogSpeedup(tree, base), 0);
  }

  void AddVisits(const Tree& tree, NodeId from, int change) {
    for (NodeId node = from;; node = tree.Parent(node)) {
      for (RankedVisits* order : {&passing_, &failing_, &unfounded_}) {
        order->AddVisits(node, change);
      }
      if (node == kRootNode) return;
    }
  }

  RankedVisits passing_;
  RankedVisits failing_;    // By the score of what they were made from.
  RankedVisits unfounded_;  // Failing, with a failing root: there is none.
  std::int64_t visits_ = 0;
  std::int64_t repairs_ = 0;
  std::int64_t repaired_ = 0;
  PendingChanges flights_;
};

struct PuctBest {
  std::optional<RankedVisits::Member> member;
  double rank = 0.0;
  double worth = 0.0;
  Weighing* weighing = nullptr;  // Null: nobody asks.

  void Consider(const RankedVisits::Member& other, double its_rank,
                double its_worth) {
    if (weighing != nullptr) weighing->Add(other.node, its_worth);
    if (member && (its_worth < worth ||
                   (its_worth == worth && member->node < other.node))) {
      return;
    }
    member = other;
    rank = its_rank;
    worth = its_worth;
  }
};

// rank(score) grows strictly with the scores of the order; worth(rank, visits)
// grows with the rank and falls with the visits.
template <class Rank, class Worth>
void SearchRanks(const RankedVisits& order, Rank rank_of, Worth worth,
                 PuctBest& best) {
  std::int64_t place = 0;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  while (const auto next = order.FirstBelow(place, fewest)) {
    const double rank = rank_of(next->score);
    // From here on none is better placed, and none can have fewer visits.
    if (best.member && worth(rank, 0) < best.worth) return;
    // Only the least visited of those with this score can win, the first of
    // several.
    place = order.size() - order.CountBelow(next->score);
    fewest = order.Fewest(next->place, place);
    const auto member = *order.FirstBelow(next->place, fewest + 1);
    best.Consider(member, rank, worth(rank, member.visits));
  }
}

class Puct final : public WeighingPolicy<PuctIndex> {
 public:
  explicit Puct(PuctOptions options) : options_(options) {}

  std::string_view Name() const override { return "puct"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<PuctIndex>();
  }

 private:
  Selection Select(const Tree&, const PuctIndex& index, RandomStream&,
                   Weighing* weighing) const override {
    const double bonus =
        options_.exploration / std::sqrt(static_cast<double>(index.visits()));
    const double chance = index.RepairChance();
    const auto rank = [&](double score) { return index.Rank(score); };
    const auto repair = [&](double its_rank, std::uint32_t visits) {
      return (chance * its_rank + bonus) / (1.0 + visits);
    };
    PuctBest best;
    best.weighing = weighing;
    if (weighing != nullptr) weighing->measure = "score of rank and visits";
    SearchRanks(
        index.passing(), rank,
        [&](double its_rank, std::uint32_t visits) {
          return its_rank + bonus / (1.0 + visits);
        },
        best);
    SearchRanks(index.failing(), rank, repair, best);
    SearchRanks(
        index.unfounded(), [](double) { return 0.0; }, repair, best);
    if (!best.member) return {kRootNode, "no node holds a candidate"};
    return {best.member->node,
            Formatted("score %.3g: rank %.3g, %u visits", best.worth, best.rank,
                      best.member->visits)};
  }

  PuctOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakePuct(PuctOptions options) {
  return std::make_unique<Puct>(options);
}

}  // namespace coppice::search
