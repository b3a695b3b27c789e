#include "engine/briefing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/steering/constraints.h"
#include "engine/steering/steering.h"
#include "engine/telling.h"
#include "search/xei.h"
#include "store/baselines.h"
#include "store/directives.h"
#include "store/history.h"
#include "store/intents.h"
#include "store/lessons.h"
#include "store/nodes.h"
#include "store/records/profile.h"
#include "store/records/technique.h"
#include "store/records/tuning.h"

namespace coppice::engine {
namespace {

// What its open numbers came to, or why they cannot be read.
std::string DescribeTuning(const NodeRecord& node) {
  if (!node.trials.empty()) return "Tuned: " + TuningText(node.trials);
  if (!node.candidate) return "";
  const auto parameters = TuningParametersOf(node.candidate->source);
  return parameters ? "" : "Not tuned: " + parameters.error().what;
}

// What is read for the table of attempts: so many by their speed and by their
// age, of which so many at most get a line.
constexpr int kFastestTried = 16;
constexpr int kNewestTried = 1000;
constexpr std::size_t kMostTried = 64;

agents::Sighting Sight(const NodeRecord& node, Kinship kinship) {
  agents::Sighting sighting;
  sighting.id = node.id;
  sighting.parent = node.parent;
  sighting.kinship = kinship;
  if (node.candidate) sighting.source = node.candidate->source;
  sighting.plan = node.plan;
  sighting.verdict = node.worth.verdict;
  sighting.log = node.evaluation.log;
  sighting.runtime_s = node.runtime_s;
  sighting.speedup = node.worth.speedup;
  sighting.same_as = node.same_as;
  sighting.hint = node.evaluation.hint;
  sighting.profile = node.evaluation.profile;
  sighting.tuning = DescribeTuning(node);
  sighting.again = RepeatedLinesText(node.again);
  return sighting;
}

Purpose WindowPurpose(Role role) {
  switch (role) {
    case Role::kPlan:
      return Purpose::kPlanWindow;
    case Role::kCode:
      return Purpose::kCodeWindow;
    case Role::kDebug:
      return Purpose::kDebugWindow;
  }
  return Purpose::kPlanWindow;
}

// Of the machine that the selected node was measured on, since the next one
// will most likely be, too.  What is measured anew by each process is taken
// from the root: a prompt's beginning shall not change from call to call.
void DescribeMachine(const Backdrop& backdrop, const Evaluation& selected,
                     const Evaluation& root, agents::PromptContext& context) {
  const Environment& where = selected.environment;
  context.hardware =
      where.hardware.empty() ? backdrop.hardware : where.hardware;
  context.hardware_facts = where.facts;
  context.threads = backdrop.threads;
  context.has_gpu = root.environment.flags.starts_with("cuda");
  context.libraries = root.environment.libraries;
  if (root.environment.hardware != context.hardware) return;
  for (const WorkloadResult& result : root.workloads) {
    if (!result.profile) continue;
    context.roof_bytes_per_s = result.profile->roof_bytes_per_s;
    context.roof_flops_per_s = result.profile->roof_flops_per_s;
    return;
  }
}

// The geometric mean over workloads, as speedups are.  None if a workload's
// floor is not known.
std::optional<double> CeilingOver(const Evaluation& root) {
  double sum = 0.0;
  for (const WorkloadResult& result : root.workloads) {
    const double floor_s = result.profile ? FloorSeconds(*result.profile) : 0.0;
    if (floor_s <= 0.0 || result.profile->runtime_s <= 0.0) return std::nullopt;
    sum += std::log(result.profile->runtime_s / floor_s);
  }
  if (root.workloads.empty()) return std::nullopt;
  return std::exp(sum / static_cast<double>(root.workloads.size()));
}

// The age at which xei_b takes an incumbent to be stagnant.
constexpr std::int64_t kPlateau = search::LeaveOptions{}.stagnation;
constexpr std::int64_t kMostUnrealised = 3;

// Whether the best is told apart from what was the best so many attempts ago.
Result<std::int64_t> PlateauOf(const Backdrop& backdrop,
                               const Occasion& occasion,
                               const std::optional<Speedup>& best) {
  if (occasion.nodes_seen <= kPlateau || !best) return 0;
  TRY(then, store::ReadBestOf(backdrop.database, backdrop.campaign,
                              occasion.nodes_seen - kPlateau));
  if (!then.speedup) return 0;
  return Over(*best, *then.speedup).Sign() > 0 ? 0 : kPlateau;
}

Result<agents::Standing> Stand(const Backdrop& backdrop,
                               const Occasion& occasion,
                               const Evaluation& root) {
  agents::Standing standing;
  if (backdrop.budget > 0) {
    // One more than these may be asked for only with a budget that allows it.
    standing.budget = std::max(backdrop.budget, occasion.decision + 1);
    standing.remaining = standing.budget - occasion.decision;
  }
  TRY(leaders, store::ReadLeaders(backdrop.database, backdrop.campaign, 1));
  if (!leaders.empty()) {
    standing.best = leaders.front().line.node;
    standing.best_speedup = leaders.front().line.speedup;
  }
  TRY(plateau, PlateauOf(backdrop, occasion, standing.best_speedup));
  standing.plateau = plateau;
  TRY(baselines, store::ReadBaselines(backdrop.database, backdrop.campaign));
  for (store::Baseline& baseline : baselines) {
    if (baseline.quoted || !baseline.speedup) continue;
    standing.yardsticks.push_back(
        {std::move(baseline.name), *baseline.speedup});
  }
  standing.ceiling = CeilingOver(root);
  return standing;
}

// Of all sightings, some of whose parents are not in the window.
Result<void> AddParents(const Backdrop& backdrop,
                        agents::PromptContext& context) {
  std::map<NodeId, std::optional<Speedup>> known;
  std::vector<agents::Sighting*> sightings = {&context.selected};
  for (agents::Sighting& other : context.history) sightings.push_back(&other);
  for (agents::Sighting& other : context.others) sightings.push_back(&other);
  for (const agents::Sighting* sighting : sightings) {
    known[sighting->id] = sighting->speedup;
  }
  for (agents::Sighting* sighting : sightings) {
    // Whoever is faster than the root is told so anyway.
    if (!sighting->parent || sighting->parent == kRootNode) continue;
    if (!sighting->speedup) continue;
    if (!known.contains(*sighting->parent)) {
      TRY(line, store::ReadLine(backdrop.database, backdrop.campaign,
                                *sighting->parent));
      known[*sighting->parent] = line.speedup;
    }
    sighting->parent_speedup = known[*sighting->parent];
  }
  return {};
}

agents::Census Count(const Relatives& tree, const Occasion& occasion,
                     std::int64_t most) {
  const NodeId node = occasion.selected.id;
  agents::Census census;
  census.earlier_attempts = occasion.earlier_attempts;
  census.passing_children = tree.CountPassing(Kinship::kChild, node, most);
  census.passing_siblings = tree.CountPassing(Kinship::kSibling, node, most);
  census.passing_nephews = tree.CountPassing(Kinship::kNephew, node, most);
  return census;
}

// What is measured against it and its evaluation, too.
Result<void> DescribeRoot(const Backdrop& backdrop, const Occasion& occasion,
                          agents::Sighting sighting, const Evaluation& root,
                          agents::PromptContext& context) {
  context.root = std::move(sighting);
  DescribeMachine(backdrop, occasion.selected.evaluation, root, context);
  TRY(standing, Stand(backdrop, occasion, root));
  context.standing = std::move(standing);
  return {};
}

// For who plans: a plan agent, or one that works alone and has no plan.
Result<std::vector<agents::Unrealised>> ReadUnrealised(
    const Backdrop& backdrop, const Occasion& occasion) {
  std::vector<agents::Unrealised> told;
  if (occasion.role == Role::kDebug || occasion.plan ||
      backdrop.task.root.language == Language::kSim) {
    return told;
  }
  TRY(plans, store::ReadUnrealised(backdrop.database, backdrop.campaign,
                                   occasion.nodes_seen, kMostUnrealised));
  for (const auto& [last, tried] : plans) {
    TRY(node, store::Nodes(backdrop.database).Load(backdrop.campaign, last));
    told.push_back(
        {*node.plan, tried, last, node.worth.verdict, node.evaluation.log});
  }
  return told;
}

// Where a node's time goes, as its longest workload says.
std::string BoundOfNode(const Evaluation& evaluation) {
  const Profile* longest = nullptr;
  for (const WorkloadResult& result : evaluation.workloads) {
    if (result.profile && (longest == nullptr ||
                           result.profile->runtime_s > longest->runtime_s)) {
      longest = &*result.profile;
    }
  }
  if (longest == nullptr) return "";
  return BoundOf(*longest) == Bound::kMemory ? "memory" : "arithmetic";
}

// Those that the campaign began with, of which what was tried on nodes that
// another roof bounds is less near.
Result<std::vector<Lesson>> LessonsFor(const Backdrop& backdrop,
                                       const NodeRecord& selected) {
  constexpr double kOtherBound = 0.7;
  TRY(lessons, store::ReadLessons(backdrop.database, backdrop.campaign));
  const std::string bound = BoundOfNode(selected.evaluation);
  for (Lesson& lesson : lessons) {
    if (!bound.empty() && !lesson.bound.empty() && lesson.bound != bound) {
      lesson.nearness *= kOtherBound;
    }
  }
  return lessons;
}

Result<std::vector<std::string>> TechniquesOf(const Backdrop& backdrop,
                                              NodeId node) {
  TRY(lineage, store::ReadLineage(backdrop.database, backdrop.campaign, node));
  std::vector<std::string> techniques;
  for (store::Ancestor& ancestor : lineage) {
    if (ancestor.line.technique.empty()) continue;
    techniques.push_back(std::move(ancestor.line.technique));
  }
  return techniques;
}

Result<agents::Mate> DescribeMate(const Backdrop& backdrop,
                                  const Occasion& occasion) {
  TRY(own, TechniquesOf(backdrop, occasion.selected.id));
  TRY(others, TechniquesOf(backdrop, *occasion.mate));
  std::erase_if(others, [&](const std::string& technique) {
    return std::ranges::find(own, technique) != own.end();
  });
  return agents::Mate{*occasion.mate, std::move(others)};
}

// The attempts that no window shows.
Result<void> AddOthers(const Backdrop& backdrop, const Occasion& occasion,
                       const Window& window, agents::PromptContext& context) {
  std::set<NodeId> shown;
  std::int64_t later = 0;  // Come since it was decided.
  for (const WindowEntry& entry : window.shown) {
    shown.insert(entry.node);
    later += Index(entry.node) >= occasion.nodes_seen ? 1 : 0;
  }
  context.attempts = std::max<std::int64_t>(occasion.nodes_seen - 1, 0) + later;
  if (occasion.nodes_seen <= 1) return {};
  TRY(tried, store::ReadTried(backdrop.database, backdrop.campaign,
                              NodeId{occasion.nodes_seen}, kFastestTried,
                              kNewestTried));
  for (store::NodeLine& line : MostTelling(tried, shown, kMostTried)) {
    agents::Sighting sighting;
    sighting.id = line.node;
    sighting.parent = line.parent;
    if (!line.technique.empty()) {
      sighting.plan.emplace().technique = std::move(line.technique);
    }
    sighting.verdict = line.verdict;
    sighting.runtime_s = line.runtime_s;
    sighting.speedup = line.speedup;
    sighting.same_as = line.same_as;
    if (line.verdict != Verdict::kPassed) {
      TRY(log, store::ReadLog(backdrop.database, backdrop.campaign, line.node));
      sighting.log = std::move(log);
    }
    context.others.push_back(std::move(sighting));
  }
  return {};
}

// What people want of an attempt, by the directives that hold for it.
Result<void> AddWishes(const Backdrop& backdrop, const Occasion& occasion,
                       agents::PromptContext& context) {
  TRY(directives, store::ReadDirectives(backdrop.database, backdrop.campaign));
  if (directives.empty()) return {};
  TRY(lineage, store::ReadLineage(backdrop.database, backdrop.campaign,
                                  occasion.selected.id));
  const auto is_within = [&](NodeId, NodeId top) {
    return std::ranges::any_of(lineage, [&](const store::Ancestor& each) {
      return each.line.node == top;
    });
  };
  const NodeId parent = occasion.selected.id;
  const auto in_force = InForce(directives, occasion.decision);
  context.wishes = WishesFor(in_force, occasion.role, parent, is_within);
  std::vector<Directive> rules;
  for (const Directive* rule : RulesFor(in_force, parent, is_within)) {
    rules.push_back(*rule);
  }
  if (rules.empty()) return {};
  context.breaks_rule =
      [rules = std::move(rules),
       language = backdrop.task.root.language](const std::string& source) {
        std::vector<const Directive*> all;
        for (const Directive& rule : rules) all.push_back(&rule);
        return WhySourceBreaks(all, {language, source, ""}).has_value();
      };
  return {};
}

Result<agents::PromptContext> Describe(const Backdrop& backdrop,
                                       const Occasion& occasion,
                                       const Window& window) {
  const NodeRecord& selected = occasion.selected;
  store::Nodes nodes(backdrop.database);
  agents::PromptContext context;
  context.role = occasion.role;
  context.task = &backdrop.task;
  context.selected = Sight(selected, Kinship::kSelected);
  if (selected.id == kRootNode) {
    TRY_DONE(DescribeRoot(backdrop, occasion, context.selected,
                          selected.evaluation, context));
  }
  for (const WindowEntry& entry : window.shown) {
    if (entry.kinship == Kinship::kSelected) continue;
    TRY(node, nodes.Load(backdrop.campaign, entry.node));
    if (entry.kinship == Kinship::kRoot) {
      TRY_DONE(DescribeRoot(backdrop, occasion, Sight(node, entry.kinship),
                            node.evaluation, context));
    } else {
      context.history.push_back(Sight(node, entry.kinship));
    }
  }
  TRY_DONE(AddOthers(backdrop, occasion, window, context));
  TRY_DONE(AddParents(backdrop, context));
  TRY(unrealised, ReadUnrealised(backdrop, occasion));
  context.unrealised = std::move(unrealised);
  if (occasion.role == Role::kCode) context.plan = occasion.plan;
  // Who codes or repairs has a plan to go by.
  if (occasion.role != Role::kDebug && !context.plan) {
    TRY(lessons, LessonsFor(backdrop, selected));
    context.lessons = std::move(lessons);
    if (!context.lessons.empty()) {
      TRY(labels, TechniquesOf(backdrop, selected.id));
      for (const std::string& label : labels) {
        context.program = ProgramAfter(context.program, label);
      }
    }
  }
  if (occasion.role == Role::kDebug) context.plan = selected.plan;
  if (occasion.mate && occasion.role != Role::kDebug) {
    TRY(mate, DescribeMate(backdrop, occasion));
    context.mate = std::move(mate);
  }
  TRY_DONE(AddWishes(backdrop, occasion, context));
  context.seed = backdrop.seed;
  context.decision = occasion.decision;
  context.manner = backdrop.manner;
  return context;
}

}  // namespace

Result<Briefing> Brief(const Backdrop& backdrop, const Relatives& tree,
                       const Occasion& occasion) {
  RandomStream stream(backdrop.seed, WindowPurpose(occasion.role),
                      static_cast<std::uint64_t>(occasion.decision));
  Window window = agents::BuildWindow(
      occasion.role, occasion.selected.id, tree, backdrop.window, stream,
      occasion.role == Role::kDebug ? std::nullopt : occasion.mate);
  TRY(context, Describe(backdrop, occasion, window));
  if (backdrop.task.root.language == Language::kSim) {
    context.census = Count(tree, occasion, backdrop.window.max_history);
  }
  return Briefing{std::move(window), std::move(context)};
}

}  // namespace coppice::engine
