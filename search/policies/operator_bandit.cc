#include "search/policies/operator_bandit.h"

#include <array>
#include <map>
#include <string>

#include "search/indexed_policy.h"
#include "search/policies/candidate_pools.h"
#include "search/policies/exploit.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

enum class Operator { kDraft, kImproveBest, kImproveLeaf, kDebug };

constexpr std::array kOperators = {Operator::kDraft, Operator::kImproveBest,
                                   Operator::kImproveLeaf, Operator::kDebug};

struct Record {
  double wins = 0.0;
  double losses = 0.0;
};

using Records = std::array<Record, kOperators.size()>;

Record& Of(Records& records, Operator action) {
  return records[static_cast<std::size_t>(action)];
}

class Deeds final : public TreeIndex {
 public:
  explicit Deeds(const OperatorBanditOptions& options)
      : options_(options), pools_(options.max_failed_repairs) {}

  void OnAdd(const Tree& tree, NodeId node) override {
    if (node != kRootNode) Reward(tree, node);
    pools_.OnAdd(tree, node);
  }

  void OnFlight(const Tree& tree, NodeId parent) override {
    pools_.OnFlight(tree, parent);
    const int attempts = tree.InFlight(parent);
    if (attempts > 0) {
      in_flight_[parent] = attempts;
    } else {
      in_flight_.erase(parent);
    }
  }

  const CandidatePools& pools() const { return pools_; }

  // With the priors, and with what is in flight.
  Records Standing(const Tree& tree) const {
    Records records = records_;
    double wins = options_.prior_wins;
    double losses = options_.prior_losses;
    for (Record& record : records) {
      wins += record.wins;
      losses += record.losses;
      record.wins += options_.prior_wins;
      record.losses += options_.prior_losses;
    }
    const double mean = wins / (wins + losses);
    for (const auto& [parent, attempts] : in_flight_) {
      Record& record = Of(records, OperatorOn(tree, parent));
      record.wins += mean * attempts;
      record.losses += (1.0 - mean) * attempts;
    }
    return records;
  }

 private:
  Operator OperatorOn(const Tree& tree, NodeId parent) const {
    if (parent == kRootNode) return Operator::kDraft;
    if (!Passes(tree, parent)) return Operator::kDebug;
    return parent == pools_.Fastest() ? Operator::kImproveBest
                                      : Operator::kImproveLeaf;
  }

  // REQUIRES: the pools do not know of the node yet.
  void Reward(const Tree& tree, NodeId node) {
    for (Record& record : records_) {
      record.wins *= options_.discount;
      record.losses *= options_.discount;
    }
    const std::optional<NodeId> best = pools_.Fastest();
    const bool wins = Passes(tree, node) &&
                      (!best || LogSpeedup(tree, node) >
                                    LogSpeedup(tree, *best) - options_.slack);
    Record& record = Of(records_, OperatorOn(tree, tree.Parent(node)));
    (wins ? record.wins : record.losses) += 1.0;
  }

  OperatorBanditOptions options_;
  CandidatePools pools_;
  Records records_;
  std::map<NodeId, int> in_flight_;
};

bool CanDo(const CandidatePools& pools, Operator action) {
  switch (action) {
    case Operator::kDraft:
      return true;
    case Operator::kImproveBest:
    case Operator::kImproveLeaf:
      return pools.Fastest().has_value();
    case Operator::kDebug:
      return pools.DebugLeaves().Count() > 0;
  }
  return false;
}

std::string DrewWords(double chance) {
  return Formatted("; it drew %.3f", chance);
}

class OperatorBandit final : public IndexedPolicy<Deeds> {
 public:
  explicit OperatorBandit(OperatorBanditOptions options) : options_(options) {}

  std::string_view Name() const override { return "operator_bandit"; }

  std::unique_ptr<TreeIndex> MakeIndex() const override {
    return std::make_unique<Deeds>(options_);
  }

 private:
  Selection Select(const Tree& tree, const Deeds& deeds,
                   RandomStream& stream) const override {
    Records records = deeds.Standing(tree);
    Operator chosen = Operator::kDraft;
    double highest = -1.0;
    for (const Operator action : kOperators) {
      const Record& record = Of(records, action);
      const double chance = stream.Beta(record.wins, record.losses);
      if (CanDo(deeds.pools(), action) && chance > highest) {
        chosen = action;
        highest = chance;
      }
    }
    Selection selection = Do(chosen, tree, deeds.pools(), stream);
    selection.reason.append(DrewWords(highest));
    return selection;
  }

  static Selection Do(Operator action, const Tree& tree,
                      const CandidatePools& pools, RandomStream& stream) {
    if (action == Operator::kDraft) return {kRootNode, "draft"};
    if (action == Operator::kDebug) {
      return SelectUniformly(pools.DebugLeaves(), "debug", "failing leaves",
                             stream);
    }
    const std::int64_t leaves = pools.PassingLeaves().Count();
    if (action == Operator::kImproveLeaf && leaves > 0) {
      return SelectByTournament(tree, pools.PassingLeaves(), leaves, 2, stream);
    }
    return SelectFastest(tree, pools);
  }

  OperatorBanditOptions options_;
};

}  // namespace

std::unique_ptr<Policy> MakeOperatorBandit(OperatorBanditOptions options) {
  return std::make_unique<OperatorBandit>(options);
}

}  // namespace coppice::search
