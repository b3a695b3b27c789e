#include "engine/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model_picks.h"
#include "engine/steering/steering.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/random.h"

namespace coppice::engine {
namespace {

// What nodes counted for when so many further evaluations had been made.
class Worths {
 public:
  explicit Worths(const store::Annals& annals) : annals_(annals) {
    for (const store::Evaluated& each : annals.evaluations) {
      evaluations_[each.node].push_back(&each);
    }
  }

  Worth Of(NodeId node, std::int64_t further) const {
    const NodeId original =
        annals_.originals[static_cast<std::size_t>(Index(node))];
    std::vector<Finding> findings;
    for (const store::Evaluated* each : evaluations_.at(original)) {
      if (each->further <= further) findings.push_back(each->finding);
    }
    return original == kRootNode ? WorthOfRoot() : WorthOf(findings);
  }

 private:
  const store::Annals& annals_;
  std::map<NodeId, std::vector<const store::Evaluated*>> evaluations_;
};

// The board as it was before each decision.
class Past {
 public:
  Past(const store::Annals& annals, const Worths& worths, search::Tree empty,
       std::int64_t further, std::vector<FreezeMark> marks)
      : annals_(annals),
        worths_(worths),
        further_(further),
        frost_(std::move(marks)),
        tree_(std::move(empty)) {}

  std::int64_t further() const { return further_; }
  const std::vector<FreezeMark>& marks() const { return frost_.marks(); }
  const search::Tree& tree() const { return tree_; }
  std::int64_t in_flight() const {
    return static_cast<std::int64_t>(in_flight_.size());
  }

  // Those who come by one decision after the other see no less of the nodes.
  Result<void> BringTo(const store::DecisionRecord& to) {
    for (; begun_ < to.decision; ++begun_) {
      const auto& decision = annals_.decisions[Position(begun_)];
      TRY_DONE(LandUntil(decision.nodes_seen));
      tree_.BeginAttempt(decision.parent);
      in_flight_.emplace(decision.decision, decision.parent);
    }
    tree_.SetAttemptsLeft(to.attempts_left);
    return LandUntil(to.nodes_seen);
  }

 private:
  static std::size_t Position(std::int64_t index) {
    return static_cast<std::size_t>(index);
  }

  Result<void> LandUntil(std::int64_t nodes) {
    while (tree_.Size() < nodes) {
      const store::Arrival& arrival = annals_.arrivals[Position(tree_.Size())];
      if (arrival.decision) {
        const auto flight = in_flight_.find(*arrival.decision);
        if (flight == in_flight_.end()) {
          return Fail(Errc::kCorrupt,
                      "node " + std::to_string(Index(arrival.node.id)) +
                          " was seen before decision " +
                          std::to_string(*arrival.decision) + " was made");
        }
        tree_.EndAttempt(flight->second);
        in_flight_.erase(flight);
      }
      NodeSummary node = arrival.node;
      const Worth worth = worths_.Of(node.id, further_);
      node.verdict = worth.verdict;
      node.runtime_s.reset();
      if (worth.speedup && annals_.root_runtime_s) {
        node.runtime_s = *annals_.root_runtime_s / worth.speedup->ratio;
      }
      if (node.runtime_s.has_value() != (worth.verdict == Verdict::kPassed)) {
        return Fail(Errc::kCorrupt,
                    "node " + std::to_string(Index(node.id)) +
                        " passed, but nothing says in how many seconds");
      }
      frost_.Touch(node);
      tree_.Add(node);
    }
    return {};
  }

  const store::Annals& annals_;
  const Worths& worths_;
  const std::int64_t further_;
  Frost frost_;
  search::Tree tree_;
  std::map<std::int64_t, NodeId> in_flight_;
  std::int64_t begun_ = 0;
};

Result<std::vector<ModelPick>> PicksAgain(
    const store::Annals& annals, const store::DecisionRecord& decision,
    const search::Tree& tree, std::uint64_t seed,
    const std::vector<const Directive*>& in_force) {
  std::vector<ModelPick> again;
  for (const ModelPick& recorded : decision.picks) {
    if (const Directive* named = FindModel(in_force, recorded.role)) {
      again.push_back(NamedPick(recorded.role, *named));
      continue;
    }
    TRY(pick,
        PickAgain(recorded, {tree, annals.asked, seed, decision.decision}));
    again.push_back(std::move(pick));
  }
  return again;
}

// The first that decided.
std::string FirstPolicy(const store::Annals& annals) {
  for (const store::DecisionRecord& decision : annals.decisions) {
    if (decision.policy != kImportPolicy && decision.policy != kHumanPolicy) {
      return decision.policy;
    }
  }
  return "greedy";
}

// By the directive that chose it, for those that count their attempts.
void CountAttempt(const store::DecisionRecord& decision,
                  std::vector<Directive>& directives) {
  if (!decision.directive) return;
  const auto by =
      std::ranges::find(directives, *decision.directive, &Directive::id);
  if (by != directives.end()) ++by->attempts;
}

Result<void> CheckSeen(const store::Annals& annals,
                       const store::DecisionRecord& decision) {
  const auto nodes = static_cast<std::int64_t>(annals.arrivals.size());
  if (decision.nodes_seen <= nodes && decision.further_seen <= annals.further &&
      Index(decision.parent) < decision.nodes_seen) {
    return {};
  }
  return Fail(Errc::kCorrupt, "decision " + std::to_string(decision.decision) +
                                  " saw what is not there");
}

}  // namespace

Result<void> Replay(const store::Annals& annals, std::uint64_t seed,
                    const PolicyMaker& make_policy,
                    const std::function<bool(const Remade&)>& visit) {
  std::string name;
  // A person's choice asks none, and needs a tree that one could be asked of.
  TRY(policy, make_policy(FirstPolicy(annals)));
  const Worths worths(annals);
  std::optional<Past> past;
  std::vector<Directive> directives = annals.directives;
  for (Directive& each : directives) each.attempts = 0;
  for (const store::DecisionRecord& decision : annals.decisions) {
    TRY_DONE(CheckSeen(annals, decision));
    if (decision.policy == kImportPolicy) continue;  // Nobody chose it.
    const bool is_persons = decision.policy == kHumanPolicy;
    if (!is_persons && decision.policy != name) {
      TRY(made, make_policy(decision.policy));
      policy = std::move(made);
      name = decision.policy;
      past.reset();  // Its tree follows the rule of another.
    }
    const auto in_force = InForce(directives, decision.decision);
    std::vector<FreezeMark> marks = FreezeMarks(in_force);
    if (!past || past->further() != decision.further_seen ||
        past->marks() != marks) {
      past.emplace(annals, worths, search::MakeTreeFor(*policy),
                   decision.further_seen, std::move(marks));
    }
    TRY_DONE(past->BringTo(decision));
    RandomStream stream(seed, Purpose::kSelect,
                        static_cast<std::uint64_t>(decision.decision));
    TRY(picks, PicksAgain(annals, decision, past->tree(), seed, in_force));
    Choice choice = MakeChoice(*policy, past->tree(), in_force, stream);
    const auto by =
        choice.by == nullptr ? std::nullopt : std::optional(choice.by->id);
    const Remade remade{
        decision,         past->in_flight(), std::move(choice.selection),
        std::move(picks), past->tree(),      by};
    if (!visit(remade)) return {};
    CountAttempt(decision, directives);
  }
  return {};
}

}  // namespace coppice::engine
