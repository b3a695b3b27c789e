#include "search/landscapes/in_memory_campaign.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "search/landscapes/evaluation_cost.h"
#include "search/landscapes/point_text.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

std::size_t At(NodeId node) { return static_cast<std::size_t>(Index(node)); }

// The nodes that may be an incumbent when so many of them have been measured
// once more, fastest first; of equals the earlier.
class Front {
 public:
  explicit Front(int most_proofs)
      : proofs_(most_proofs), room_(static_cast<std::size_t>(most_proofs) + 1) {
    nodes_.reserve(room_ + 1);
  }

  void Add(const Incumbent& node) {
    const auto behind =
        std::ranges::upper_bound(nodes_, node.measured, std::greater<>(),
                                 [](const Incumbent& n) { return n.measured; });
    nodes_.insert(behind, node);
    if (nodes_.size() > room_) nodes_.pop_back();
  }

  // The actual log speedup of the one that is left.  If all proofs went to
  // others, it was measured but once, and by luck it is fast there.
  double Prove() const {
    std::vector<double> speeds;
    for (const Incumbent& node : nodes_) speeds.push_back(node.measured);
    std::vector<bool> is_proven(speeds.size());
    const auto fastest = [&] {
      const auto first = std::ranges::max_element(speeds);
      return static_cast<std::size_t>(first - speeds.begin());
    };
    for (int i = 0; i < proofs_ && !speeds.empty(); ++i) {
      const std::size_t best = fastest();
      if (is_proven[best] || speeds[best] <= 0.0) break;
      speeds[best] = nodes_[best].actual;
      is_proven[best] = true;
    }
    return speeds.empty() ? 0.0 : std::max(nodes_[fastest()].actual, 0.0);
  }

 private:
  int proofs_;
  std::size_t room_;
  std::vector<Incumbent> nodes_;
};

}  // namespace

InMemoryCampaign::InMemoryCampaign(const Policy& policy, Simulation task,
                                   double root_runtime_s, std::uint64_t seed,
                                   Workforce workforce, std::int64_t window)
    : policy_(policy),
      task_(std::move(task)),
      root_runtime_s_(root_runtime_s),
      seed_(seed),
      workforce_(workforce),
      window_(window),
      tree_(MakeTreeFor(policy)) {
  Commit(task_.Root(), std::nullopt);
}

void InMemoryCampaign::Reserve(std::int64_t attempts) {
  const auto nodes = static_cast<std::size_t>(attempts) + 1;
  points_.reserve(nodes);
  counts_.reserve(nodes);
}

NodeId InMemoryCampaign::Step(std::optional<std::int64_t> attempts_left) {
  tree_.SetAttemptsLeft(attempts_left);
  const auto decision = static_cast<std::uint64_t>(tree_.Size() - 1);
  RandomStream stream(seed_, Purpose::kSelect, decision);
  Selection selection = policy_.Select(tree_, stream);
  if (selection.failure) {
    failure_ = std::move(selection.failure);
    return kRootNode;
  }
  const NodeId parent = selection.node;
  const Point* const mate =
      selection.mate ? &points_[At(*selection.mate)] : nullptr;
  const Point child =
      task_.Attempt(points_[At(parent)], tree_.ChildCount(parent), workforce_,
                    RelativesOf(parent), mate);
  Commit(child, parent);
  return NodeId{tree_.Size() - 1};
}

const Point& InMemoryCampaign::PointOf(NodeId node) const {
  return points_[At(node)];
}

Relatives InMemoryCampaign::RelativesOf(NodeId node) const {
  Relatives relatives;
  const Counts& own = counts_[At(node)];
  relatives.children = std::min(window_, own.passing_children);
  if (node == kRootNode) return relatives;
  const Counts& parents = counts_[At(tree_.Parent(node))];
  const bool passes = points_[At(node)].verdict == Verdict::kPassed;
  relatives.siblings =
      std::min(window_, parents.passing_children - (passes ? 1 : 0));
  relatives.nephews =
      std::min(window_, parents.passing_grandchildren - own.passing_children);
  return relatives;
}

void InMemoryCampaign::Commit(const Point& point,
                              std::optional<NodeId> parent) {
  NodeSummary node;
  node.id = NodeId{tree_.Size()};
  node.parent = parent;
  node.verdict = point.verdict;
  if (point.verdict == Verdict::kPassed) {
    node.runtime_s = RuntimeOf(point, root_runtime_s_);
  }
  if (point.hint) node.log_hint = static_cast<float>(*point.hint);
  node.behaviour.family = FamilyOfPart(point.part);
  node.kernel_hash = std::max<std::uint64_t>(point.key, 1);
  tree_.Add(node);
  points_.push_back(point);
  counts_.emplace_back();
  if (!parent || point.verdict != Verdict::kPassed) return;
  ++counts_[At(*parent)].passing_children;
  if (*parent == kRootNode) return;
  ++counts_[At(tree_.Parent(*parent))].passing_grandchildren;
}

std::int64_t CallsOf(Workforce workforce, Verdict parent) {
  const bool is_planned =
      workforce == Workforce::kTeam && parent == Verdict::kPassed;
  return is_planned ? 2 : 1;
}

InMemoryOutcome RunInMemory(const Policy& policy, const TaskLaw& law,
                            std::uint64_t seed,
                            const InMemoryOptions& options) {
  InMemoryCampaign campaign(policy, law.TaskOf(seed), law.root_runtime_s(),
                            seed, options.workforce, options.window);
  const bool is_timed = options.unit == BudgetUnit::kEvaluatorSeconds;
  const bool is_of_calls = options.unit == BudgetUnit::kCalls;
  if (!is_timed) campaign.Reserve(options.budget);
  InMemoryOutcome outcome;
  std::optional<Incumbent> incumbent;
  Front front(options.most_proofs);
  auto checkpoint = options.checkpoints.begin();
  const auto budget = static_cast<double>(options.budget);
  double spent = 0.0;
  std::int64_t attempts = 0;
  const auto look = [&](const auto& is_over) {
    for (; checkpoint != options.checkpoints.end() &&
           is_over(static_cast<double>(*checkpoint));
         ++checkpoint) {
      outcome.incumbents.push_back(incumbent);
      outcome.proven.push_back(front.Prove());
      outcome.counts.push_back({attempts, outcome.compiled, outcome.correct});
    }
  };
  while (spent < budget) {
    std::optional<std::int64_t> left;
    if (options.unit == BudgetUnit::kAttempts) left = options.budget - attempts;
    const NodeId node = campaign.Step(left);
    outcome.failure = campaign.failure();
    if (outcome.failure) return outcome;
    const Point& point = campaign.PointOf(node);
    if (is_timed) {
      spent += EvaluationSeconds(point, law.root_runtime_s());
    } else if (is_of_calls) {
      const NodeId parent = campaign.tree().Parent(node);
      spent += static_cast<double>(
          CallsOf(options.workforce, campaign.PointOf(parent).verdict));
      look([&](double most) { return most < spent; });
      if (spent > budget) break;
    } else {
      spent += 1.0;
    }
    ++attempts;
    if (point.verdict != Verdict::kCompileFailed) ++outcome.compiled;
    if (point.verdict == Verdict::kPassed) {
      ++outcome.correct;
      if (!outcome.first_correct) outcome.first_correct = attempts;
      const Incumbent now = {point.measured, point.position.log_speedup};
      if (!incumbent || now.measured > incumbent->measured) incumbent = now;
      front.Add(now);
    }
    look([&](double most) { return most <= spent; });
  }
  outcome.fast_1 = incumbent && incumbent->measured >= 0.0;
  return outcome;
}

}  // namespace coppice::search
