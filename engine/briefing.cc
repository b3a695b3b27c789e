#include "engine/briefing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "search/xei.h"
#include "store/baselines.h"
#include "store/history.h"
#include "store/intents.h"
#include "store/nodes.h"
#include "store/records/profile.h"
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
  sighting.profile = node.evaluation.profile;
  sighting.tuning = DescribeTuning(node);
  sighting.again = LinesAgainText(node.again);
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
                     const Evaluation& root, agents::Situation& situation) {
  const Environment& where = selected.environment;
  situation.hardware =
      where.hardware.empty() ? backdrop.hardware : where.hardware;
  situation.hardware_facts = where.facts;
  situation.threads = backdrop.threads;
  if (root.environment.hardware != situation.hardware) return;
  for (const WorkloadResult& result : root.workloads) {
    if (!result.profile) continue;
    situation.roof_bytes_per_s = result.profile->roof_bytes_per_s;
    situation.roof_flops_per_s = result.profile->roof_flops_per_s;
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
  if (occasion.decision < kPlateau || !best) return 0;
  TRY(then, store::ReadBestOf(backdrop.database, backdrop.campaign,
                              occasion.decision - kPlateau + 1));
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
                        agents::Situation& situation) {
  std::map<NodeId, std::optional<Speedup>> known;
  std::vector<agents::Sighting*> sightings = {&situation.selected};
  for (agents::Sighting& other : situation.history) sightings.push_back(&other);
  for (const agents::Sighting* sighting : sightings) {
    known[sighting->id] = sighting->speedup;
  }
  for (agents::Sighting* sighting : sightings) {
    // Whoever is faster than the root is told so anyway.
    if (!sighting->parent || sighting->parent == kRootNode) continue;
    if (!known.contains(*sighting->parent)) {
      TRY(line, store::ReadLine(backdrop.database, backdrop.campaign,
                                *sighting->parent));
      known[*sighting->parent] = line.speedup;
    }
    sighting->parent_speedup = known[*sighting->parent];
  }
  return {};
}

agents::Census Count(const Genealogy& tree, const Occasion& occasion,
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
                          agents::Situation& situation) {
  situation.root = std::move(sighting);
  DescribeMachine(backdrop, occasion.selected.evaluation, root, situation);
  TRY(standing, Stand(backdrop, occasion, root));
  situation.standing = std::move(standing);
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
                                   kMostUnrealised));
  for (const auto& [last, tried] : plans) {
    TRY(node, store::Nodes(backdrop.database).Load(backdrop.campaign, last));
    told.push_back(
        {*node.plan, tried, last, node.worth.verdict, node.evaluation.log});
  }
  return told;
}

Result<agents::Situation> Describe(const Backdrop& backdrop,
                                   const Occasion& occasion,
                                   const Window& window) {
  const NodeRecord& selected = occasion.selected;
  store::Nodes nodes(backdrop.database);
  agents::Situation situation;
  situation.role = occasion.role;
  situation.task = &backdrop.task;
  situation.selected = Sight(selected, Kinship::kSelected);
  if (selected.id == kRootNode) {
    TRY_DONE(DescribeRoot(backdrop, occasion, situation.selected,
                          selected.evaluation, situation));
  }
  for (const WindowEntry& entry : window.shown) {
    if (entry.kinship == Kinship::kSelected) continue;
    TRY(node, nodes.Load(backdrop.campaign, entry.node));
    if (entry.kinship == Kinship::kRoot) {
      TRY_DONE(DescribeRoot(backdrop, occasion, Sight(node, entry.kinship),
                            node.evaluation, situation));
    } else {
      situation.history.push_back(Sight(node, entry.kinship));
    }
  }
  TRY_DONE(AddParents(backdrop, situation));
  TRY(unrealised, ReadUnrealised(backdrop, occasion));
  situation.unrealised = std::move(unrealised);
  if (occasion.role == Role::kCode) situation.plan = occasion.plan;
  if (occasion.role == Role::kDebug) situation.plan = selected.plan;
  situation.seed = backdrop.seed;
  situation.decision = occasion.decision;
  situation.manner = backdrop.manner;
  return situation;
}

}  // namespace

Result<Briefing> Brief(const Backdrop& backdrop, const Genealogy& tree,
                       const Occasion& occasion) {
  RandomStream stream(backdrop.seed, WindowPurpose(occasion.role),
                      static_cast<std::uint64_t>(occasion.decision));
  Window window = agents::BuildWindow(occasion.role, occasion.selected.id, tree,
                                      backdrop.window, stream);
  TRY(situation, Describe(backdrop, occasion, window));
  if (backdrop.task.root.language == Language::kSim) {
    situation.census = Count(tree, occasion, backdrop.window.max_history);
  }
  return Briefing{std::move(window), std::move(situation)};
}

}  // namespace coppice::engine
