#include "engine/steering/steering.h"

#include <algorithm>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "engine/steering/constraints.h"
#include "engine/steering/directive_text.h"
#include "search/policy.h"
#include "search/tree.h"
#include "store/records/formatted.h"
#include "store/records/random.h"

namespace coppice::engine {
namespace {

using enum DirectiveKind;

std::string NodeText(NodeId node) {
  return "node " + std::to_string(Index(node));
}

bool IsInTree(const search::Tree& tree, NodeId node) {
  return Index(node) < tree.Size();
}

// Where it stands among those that hold, as far as they are taken up.

std::string WhyNotFrozen(const Directive& directive, const search::Tree& tree,
                         const std::vector<FreezeMark>& marks) {
  const bool is_frozen = IsFrozen(tree, marks, *directive.node);
  if (directive.kind == kUnfreeze) {
    return is_frozen ? "" : NodeText(*directive.node) + " is not frozen";
  }
  if (*directive.node == kRootNode) {
    return "node 0 is the root, which a search falls back to: pause it instead";
  }
  return "";
}

std::string WhyNotBoosted(const Directive& directive, const search::Tree& tree,
                          const std::vector<FreezeMark>& marks) {
  if (IsFrozen(tree, marks, *directive.node)) {
    return NodeText(*directive.node) + " is frozen: unfreeze it first";
  }
  NodeSummary node = tree.Node(*directive.node);
  node.is_frozen = false;
  if (search::IsExpandable(node)) return "";
  return NodeText(*directive.node) +
         " has no kernel of its own that is decided";
}

// A sum of roundings may be off by so little.
constexpr double kRounding_usd = 1e-9;

std::string WhyNotInBudget(const Directive& directive, const Used& used) {
  const double amount = *directive.amount;
  if (directive.aspect == kAttemptsAspect) {
    if (amount >= static_cast<double>(used.attempts)) return "";
    return std::to_string(used.attempts) + " attempts are reserved already";
  }
  if (directive.aspect == kTokensAspect) {
    if (amount >= static_cast<double>(used.tokens)) return "";
    return std::to_string(used.tokens) + " tokens are used already";
  }
  if (directive.aspect == kUsdAspect) {
    if (amount >= used.usd - kRounding_usd) return "";
    return Formatted("$%.4g are used already", used.usd);
  }
  if (amount >= used.seconds) return "";
  return Formatted("%.0f s are used already", used.seconds);
}

// The last gate that holds, by its place; none: there is none.
std::optional<std::size_t> LastGate(
    const std::vector<const Directive*>& in_force) {
  for (std::size_t i = in_force.size(); i > 0; --i) {
    if (in_force[i - 1]->kind == kGate) return i - 1;
  }
  return std::nullopt;
}

std::string WhyNotLifted(const Directive& lift,
                         const std::vector<const Directive*>& in_force) {
  const std::string name = "directive " + std::to_string(Index(*lift.target));
  const auto target = std::ranges::find(
      in_force, *lift.target, [](const Directive* each) { return each->id; });
  if (target == in_force.end()) return name + " does not hold";
  if ((*target)->kind == kJudge) return name + " was carried out";
  return "";
}

std::string WhyNotJudged(NodeId node, const search::Tree& tree) {
  if (node == kRootNode) {
    return "node 0 is the root, which all others are measured against";
  }
  if (tree.Node(node).kernel_hash != 0) return "";
  return NodeText(node) + " has no kernel";
}

// Empty: it can hold.
std::string WhyRefused(const Directive& directive,
                       const std::vector<const Directive*>& in_force,
                       const search::Tree& tree, const Used& used) {
  // Another program may have made the row.
  if (const auto said = CheckSaid(directive); !said) return said.error().what;
  switch (directive.kind) {
    case kFreeze:
    case kUnfreeze:
      return WhyNotFrozen(directive, tree, FreezeMarks(in_force));
    case kBoost:
      return WhyNotBoosted(directive, tree, FreezeMarks(in_force));
    case kBudget:
      return WhyNotInBudget(directive, used);
    case kLift:
      return WhyNotLifted(directive, in_force);
    case kApprove:
      return LastGate(in_force) ? "" : "no attempt waits for an approval";
    case kJudge:
      return WhyNotJudged(*directive.node, tree);
    default:
      return "";
  }
}

// A boost counts until a later one of the same node.
bool IsSuperseded(const std::vector<const Directive*>& in_force,
                  std::size_t at) {
  return std::any_of(in_force.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                     in_force.end(), [&](const Directive* later) {
                       return later->kind == kBoost &&
                              later->node == in_force[at]->node;
                     });
}

Choice Boosted(const Directive& boost) {
  const auto wanted = static_cast<std::int64_t>(*boost.amount);
  return {{*boost.node, "boost " + std::to_string(Index(*boost.node)) + " (" +
                            std::to_string(boost.attempts + 1) + " of " +
                            std::to_string(wanted) + ")"},
          &boost};
}

// What it is about.
DirectiveKind KindOf(const Directive& directive,
                     const std::vector<Directive>& directives) {
  if (!directive.target) return directive.kind;
  const auto target =
      std::ranges::find(directives, *directive.target, &Directive::id);
  return target == directives.end() ? directive.kind : target->kind;
}

bool IsDue(const Directive& directive, std::int64_t decision,
           const search::Tree& tree) {
  return directive.outcome == DirectiveOutcome::kPending &&
         directive.not_before <= decision &&
         (!directive.node || IsInTree(tree, *directive.node));
}

bool Concerns(const Directive& directive, NodeId parent,
              const std::function<bool(NodeId, NodeId)>& is_within) {
  return !directive.node || is_within(parent, *directive.node);
}

}  // namespace

std::vector<FreezeMark> FreezeMarks(
    const std::vector<const Directive*>& in_force) {
  std::vector<FreezeMark> marks;
  for (const Directive* each : in_force) {
    if (each->kind != kFreeze && each->kind != kUnfreeze) continue;
    marks.push_back({*each->node, each->kind == kFreeze});
  }
  return marks;
}

Frost::Frost(std::vector<FreezeMark> marks) : marks_(std::move(marks)) {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    last_[marks_[i].node] = static_cast<int>(i);
  }
}

void Frost::Touch(NodeSummary& node) {
  node.is_frozen = false;
  if (marks_.empty()) return;
  const auto own = last_.find(node.id);
  int mark = own == last_.end() ? -1 : own->second;
  if (node.parent) {
    mark = std::max(mark,
                    decided_by_[static_cast<std::size_t>(Index(*node.parent))]);
  }
  decided_by_.push_back(mark);
  if (mark >= 0)
    node.is_frozen = marks_[static_cast<std::size_t>(mark)].freezes;
}

bool IsFrozen(const search::Tree& tree, const std::vector<FreezeMark>& marks,
              NodeId node) {
  for (std::size_t i = marks.size(); i > 0; --i) {
    const FreezeMark& mark = marks[i - 1];
    if (IsInTree(tree, mark.node) && tree.IsWithin(node, mark.node)) {
      return mark.freezes;
    }
  }
  return false;
}

bool ConcernsNoDecision(DirectiveKind kind) {
  return kind == kPause || kind == kResume || kind == kBudget ||
         kind == kGate || kind == kApprove;
}

bool ConcernsDecision(DirectiveKind kind) {
  return !ConcernsNoDecision(kind) && kind != kJudge;
}

std::vector<TakenUp> TakeUpPending(
    std::vector<Directive>& directives, std::int64_t decision,
    const search::Tree& tree, const Used& used,
    const std::function<bool(DirectiveKind)>& wanted,
    const std::function<std::string(const Directive&)>& cannot) {
  std::vector<TakenUp> taken;
  for (Directive& each : directives) {
    if (!IsDue(each, decision, tree) || !wanted(KindOf(each, directives))) {
      continue;
    }
    std::string refusal =
        WhyRefused(each, InForce(directives, decision), tree, used);
    if (refusal.empty() && cannot) refusal = cannot(each);
    each.outcome = refusal.empty() ? DirectiveOutcome::kApplied
                                   : DirectiveOutcome::kRefused;
    each.effective_decision = decision;
    each.refusal = refusal;
    taken.push_back({each.id, std::move(refusal)});
  }
  return taken;
}

std::optional<JudgeRequest> NextJudgement(
    const std::vector<Directive>& directives, std::int64_t decision,
    const search::Tree& tree, const std::set<DirectiveId>& begun) {
  for (const Directive& each : directives) {
    if (each.kind != kJudge || !IsDue(each, decision, tree) ||
        begun.contains(each.id)) {
      continue;
    }
    const NodeId node = each.node.value_or(kRootNode);
    return JudgeRequest{each.id, node, WhyRefused(each, {}, tree, {})};
  }
  return std::nullopt;
}

std::vector<const Directive*> Unusable(
    const std::vector<const Directive*>& in_force) {
  std::vector<const Directive*> unusable;
  std::ranges::copy_if(in_force, std::back_inserter(unusable),
                       [](const Directive* each) { return !CheckSaid(*each); });
  return unusable;
}

const Directive* FindPause(const std::vector<const Directive*>& in_force) {
  const Directive* pause = nullptr;
  for (const Directive* each : in_force) {
    if (each->kind == kPause) pause = each;
    if (each->kind == kResume) pause = nullptr;
  }
  return pause;
}

const Directive* FindGate(const std::vector<const Directive*>& in_force,
                          std::int64_t decision, double used_usd) {
  const auto gate = LastGate(in_force);
  if (!gate) return nullptr;
  // The first decision that nobody has approved.
  std::int64_t until = *in_force[*gate]->effective_decision;
  for (std::size_t i = *gate + 1; i < in_force.size(); ++i) {
    const Directive& each = *in_force[i];
    if (each.kind != kApprove) continue;
    if (each.aspect == kUsdAspect) {
      if (used_usd < *each.amount - kRounding_usd) return nullptr;
    } else {
      until = std::max(until, *each.effective_decision) +
              static_cast<std::int64_t>(*each.amount);
    }
  }
  return decision < until ? nullptr : in_force[*gate];
}

const Directive* FindPolicy(const std::vector<const Directive*>& in_force) {
  const Directive* policy = nullptr;
  for (const Directive* each : in_force) {
    if (each->kind == kPolicy && CheckSaid(*each)) policy = each;
  }
  return policy;
}

const Directive* FindModel(const std::vector<const Directive*>& in_force,
                           Role role) {
  const Directive* model = nullptr;
  for (const Directive* each : in_force) {
    if (each->kind != kModel || !CheckSaid(*each)) continue;
    if (!each->role || *each->role == role) model = each;
  }
  return model;
}

std::optional<double> FindTemperature(
    const std::vector<const Directive*>& in_force, Role role) {
  std::optional<double> temperature;
  for (const Directive* each : in_force) {
    if (each->kind != kTemperature) continue;
    if (!each->role || *each->role == role) temperature = each->amount;
  }
  return temperature;
}

std::optional<Choice> ForcedChoice(
    const std::vector<const Directive*>& in_force, const search::Tree& tree) {
  const std::vector<FreezeMark> marks = FreezeMarks(in_force);
  for (std::size_t i = 0; i < in_force.size(); ++i) {
    const Directive& each = *in_force[i];
    if (each.kind == kInsert && each.attempts == 0 &&
        IsInTree(tree, *each.node)) {
      return Choice{
          {*each.node, "insert under " + std::to_string(Index(*each.node)) +
                           " by " + each.author},
          &each};
    }
    if (each.kind != kBoost || !IsInTree(tree, *each.node) ||
        static_cast<double>(each.attempts) >= *each.amount ||
        IsSuperseded(in_force, i) || IsFrozen(tree, marks, *each.node)) {
      continue;
    }
    return Boosted(each);
  }
  return std::nullopt;
}

Choice MakeChoice(const search::Policy& policy, const search::Tree& tree,
                  const std::vector<const Directive*>& in_force,
                  RandomStream& stream) {
  if (auto forced = ForcedChoice(in_force, tree)) return *std::move(forced);
  search::Selection selection = policy.Select(tree, stream);
  if (selection.failure) return {std::move(selection), nullptr};
  NodeId node = selection.node;
  while (node != kRootNode && tree.Node(node).is_frozen) {
    node = tree.Parent(node);
  }
  if (node != selection.node) {
    selection.reason +=
        "; " + NodeText(selection.node) + " is frozen, so what is above";
    selection.node = node;
    if (selection.mate == node) selection.mate.reset();
  }
  if (selection.mate && tree.Node(*selection.mate).is_frozen) {
    selection.mate.reset();
  }
  return {std::move(selection), nullptr};
}

std::vector<agents::Wish> WishesFor(
    const std::vector<const Directive*>& in_force, Role role, NodeId parent,
    const std::function<bool(NodeId, NodeId)>& is_within) {
  std::vector<agents::Wish> wishes;
  for (const Directive* each : in_force) {
    if (!Concerns(*each, parent, is_within)) continue;
    const bool is_rule = each->kind == kForbid || each->kind == kRequire;
    if (is_rule) {
      const bool is_of_plans = each->aspect == kTechniqueAspect;
      wishes.push_back({Index(each->id), each->author, RuleText(*each), true,
                        is_of_plans ? each->text : "", each->kind == kRequire});
    } else if (each->kind == kAdvise && (!each->role || *each->role == role)) {
      wishes.push_back({Index(each->id), each->author, each->text, false});
    }
  }
  return wishes;
}

std::vector<const Directive*> RulesFor(
    const std::vector<const Directive*>& in_force, NodeId parent,
    const std::function<bool(NodeId, NodeId)>& is_within) {
  std::vector<const Directive*> rules;
  for (const Directive* each : in_force) {
    if (each->kind != kForbid && each->kind != kRequire) continue;
    if (Concerns(*each, parent, is_within)) rules.push_back(each);
  }
  return rules;
}

}  // namespace coppice::engine
