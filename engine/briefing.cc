#include "engine/briefing.h"

#include <utility>

#include "store/nodes.h"

namespace coppice::engine {
namespace {

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
    situation.root = situation.selected;
    DescribeMachine(backdrop, selected.evaluation, selected.evaluation,
                    situation);
  }
  for (const WindowEntry& entry : window.shown) {
    if (entry.kinship == Kinship::kSelected) continue;
    TRY(node, nodes.Load(backdrop.campaign, entry.node));
    if (entry.kinship == Kinship::kRoot) {
      situation.root = Sight(node, entry.kinship);
      DescribeMachine(backdrop, selected.evaluation, node.evaluation,
                      situation);
    } else {
      situation.history.push_back(Sight(node, entry.kinship));
    }
  }
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
