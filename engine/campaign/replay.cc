#include "engine/campaign/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/campaign/model_picks.h"
#include "engine/steering/external_choice.h"
#include "engine/steering/steering.h"
#include "search/policy.h"
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
    std::vector<Evidence> findings;
    for (const store::Evaluated* each : evaluations_.at(original)) {
      if (each->further <= further) findings.push_back(each->finding);
    }
    return original == kRootNode ? WorthOfRoot() : WorthOf(findings);
  }

 private:
  const store::Annals& annals_;
  std::map<NodeId, std::vector<const store::Evaluated*>> evaluations_;
};

// As what the node counts for that.
Result<void> Count(const Worth& worth, std::optional<double> root_runtime_s,
                   NodeSummary& node) {
  node.verdict = worth.verdict;
  node.runtime_s.reset();
  if (worth.speedup && root_runtime_s) {
    node.runtime_s = *root_runtime_s / worth.speedup->ratio;
  }
  if (node.runtime_s.has_value() == (worth.verdict == Verdict::kPassed)) {
    return {};
  }
  return Fail(Errc::kCorrupt,
              "node " + std::to_string(Index(node.id)) +
                  " passed, but nothing says in how many seconds");
}

// The live tree as it was before each decision.
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
      TRY_DONE(
          Count(worths_.Of(node.id, further_), annals_.root_runtime_s, node));
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

// The policy that chose the node, or would have where an outside agent did.
std::string PolicyOf(const store::DecisionRecord& decision) {
  if (decision.policy != kOutsidePolicy) return decision.policy;
  const auto beside = ReadExternalReason(decision.reason);
  return beside ? beside->policy : std::string(kImportPolicy);
}

// What an outside agent chose, with what was made again beside it.
Choice Beside(const store::DecisionRecord& decision, std::string_view policy,
              const Choice& own) {
  const auto recorded = ReadExternalReason(decision.reason);
  return {ExternalChoice(decision.parent, recorded ? recorded->why : "", policy,
                         own.selection),
          nullptr};
}

// What it rests on, beside the tree.
struct Circumstances {
  const store::DecisionRecord& decision;
  const std::vector<AskedModel>& asked;
  const std::vector<const Directive*>& in_force;
  const search::Policy& policy;
  std::int64_t in_flight = 0;
  std::uint64_t seed = 0;
};

Result<Remade> MakeAgain(const Circumstances& of, const search::Tree& tree) {
  std::vector<ModelPick> picks;
  for (const ModelPick& recorded : of.decision.picks) {
    if (const Directive* named = FindModel(of.in_force, recorded.role)) {
      picks.push_back(NamedPick(recorded.role, *named));
      continue;
    }
    TRY(pick,
        PickAgain(recorded, {tree, of.asked, of.seed, of.decision.decision}));
    picks.push_back(std::move(pick));
  }
  RandomStream stream(of.seed, Purpose::kSelect,
                      static_cast<std::uint64_t>(of.decision.decision));
  Choice choice = MakeChoice(of.policy, tree, of.in_force, stream);
  if (choice.selection.failure) {
    return tl::unexpected(*std::move(choice.selection.failure));
  }
  if (of.decision.policy == kOutsidePolicy) {
    choice =
        Beside(of.decision,
               choice.by == nullptr ? of.policy.Name() : kHumanPolicy, choice);
  }
  const auto by =
      choice.by == nullptr ? std::nullopt : std::optional(choice.by->id);
  return Remade{of.decision,      of.in_flight, std::move(choice.selection),
                std::move(picks), tree,         by,
                of.policy};
}

// The first that decided.
std::string FirstPolicy(const store::Annals& annals) {
  for (const store::DecisionRecord& decision : annals.decisions) {
    std::string policy = PolicyOf(decision);
    if (policy != kImportPolicy && policy != kHumanPolicy) return policy;
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
    const std::string decided_by = PolicyOf(decision);
    if (decided_by == kImportPolicy) continue;  // Nobody chose it.
    const bool is_persons = decided_by == kHumanPolicy;
    if (!is_persons && decided_by != name) {
      TRY_ASSIGN(policy, make_policy(decided_by));
      name = decided_by;
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
    TRY(remade, MakeAgain({decision, annals.asked, in_force, *policy,
                           past->in_flight(), seed},
                          past->tree()));
    if (!visit(remade)) return {};
    CountAttempt(decision, directives);
  }
  return {};
}

namespace {

// As it was before the decision.  An index is never of when an attempt began,
// so those in flight may come last.
Result<search::Tree> TreeOf(const store::DecisionState& decision_state,
                            const std::vector<NodeSummary>& nodes,
                            const search::Policy& policy,
                            std::vector<FreezeMark> marks) {
  const auto seen =
      static_cast<std::size_t>(decision_state.decision.nodes_seen);
  if (seen > nodes.size()) {
    return Fail(Errc::kCorrupt, "there are fewer nodes than were seen");
  }
  search::Tree tree = search::MakeTreeFor(policy);
  Frost frost(std::move(marks));
  auto other = decision_state.otherwise.begin();
  for (std::size_t i = 0; i < seen; ++i) {
    NodeSummary node = nodes[i];
    if (other != decision_state.otherwise.end() && other->node == node.id) {
      TRY_DONE(Count(other->worth, decision_state.root_runtime_s, node));
      ++other;
    }
    frost.Touch(node);
    tree.Add(node);
  }
  for (const store::Decided& each : decision_state.in_flight) {
    if (Index(each.parent) >= decision_state.decision.nodes_seen) {
      return Fail(Errc::kCorrupt, "decision " + std::to_string(each.decision) +
                                      " is on what was not there");
    }
    tree.BeginAttempt(each.parent);
  }
  tree.SetAttemptsLeft(decision_state.decision.attempts_left);
  return tree;
}

}  // namespace

Result<void> ReplayOne(const store::DecisionState& decision_state,
                       const std::vector<NodeSummary>& nodes,
                       std::uint64_t seed, const PolicyMaker& make_policy,
                       const std::function<void(const Remade&)>& visit) {
  const std::string decided_by = PolicyOf(decision_state.decision);
  if (decided_by == kImportPolicy) return {};
  TRY(policy, make_policy(decided_by == kHumanPolicy ? decision_state.policy
                                                     : decided_by));
  const auto in_force =
      InForce(decision_state.directives, decision_state.decision.decision);
  TRY(tree, TreeOf(decision_state, nodes, *policy, FreezeMarks(in_force)));
  TRY(remade,
      MakeAgain({decision_state.decision, decision_state.asked, in_force,
                 *policy, std::ssize(decision_state.in_flight), seed},
                tree));
  visit(remade);
  return {};
}

}  // namespace coppice::engine
