#include "engine/campaign/prompt_inputs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/campaign/status_messages.h"
#include "engine/steering/constraints.h"
#include "engine/steering/steering.h"
#include "search/policies/xei.h"
#include "store/read/history.h"
#include "store/records/node.h"
#include "store/records/profile.h"
#include "store/records/random.h"
#include "store/records/technique.h"
#include "store/records/tuning.h"
#include "store/write/baselines.h"
#include "store/write/directives.h"
#include "store/write/intents.h"
#include "store/write/lessons.h"
#include "store/write/nodes.h"

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

// Describes the machine that the selected node was measured on, since the next
// one will most likely be, too.  What is measured anew by each process is taken
// from the root: a prompt's beginning shall not change from call to call.
void DescribeMachine(const CampaignFacts& campaign_facts,
                     const Evaluation& selected, const Evaluation& root,
                     agents::PromptContext& context) {
  const Environment& where = selected.environment;
  context.hardware =
      where.hardware.empty() ? campaign_facts.hardware : where.hardware;
  context.hardware_facts = where.facts;
  context.threads = campaign_facts.threads;
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
Result<std::int64_t> PlateauOf(const CampaignFacts& campaign_facts,
                               const AttemptFacts& attempt_facts,
                               const std::optional<Speedup>& best) {
  if (attempt_facts.nodes_seen <= kPlateau || !best) return 0;
  TRY(then, store::ReadBestOf(campaign_facts.database, campaign_facts.campaign,
                              attempt_facts.nodes_seen - kPlateau));
  if (!then.speedup) return 0;
  return Over(*best, *then.speedup).Sign() > 0 ? 0 : kPlateau;
}

Result<agents::SearchStanding> Stand(const CampaignFacts& campaign_facts,
                                     const AttemptFacts& attempt_facts,
                                     const Evaluation& root) {
  agents::SearchStanding standing;
  if (campaign_facts.budget > 0) {
    // One more than these may be asked for only with a budget that allows it.
    standing.budget =
        std::max(campaign_facts.budget, attempt_facts.decision + 1);
    standing.remaining = standing.budget - attempt_facts.decision;
  }
  TRY(leaders,
      store::ReadLeaders(campaign_facts.database, campaign_facts.campaign, 1));
  if (!leaders.empty()) {
    standing.best = leaders.front().line.node;
    standing.best_speedup = leaders.front().line.speedup;
  }
  TRY_ASSIGN(standing.plateau,
             PlateauOf(campaign_facts, attempt_facts, standing.best_speedup));
  TRY(baselines,
      store::ReadBaselines(campaign_facts.database, campaign_facts.campaign));
  for (store::Baseline& baseline : baselines) {
    if (baseline.quoted || !baseline.speedup) continue;
    standing.yardsticks.push_back(
        {std::move(baseline.name), *baseline.speedup});
  }
  standing.ceiling = CeilingOver(root);
  return standing;
}

// Adds the parents of all sightings, some of which are not in the window.
Result<void> AddParents(const CampaignFacts& campaign_facts,
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
      TRY(line, store::ReadLine(campaign_facts.database,
                                campaign_facts.campaign, *sighting->parent));
      known[*sighting->parent] = line.speedup;
    }
    sighting->parent_speedup = known[*sighting->parent];
  }
  return {};
}

agents::Census Count(const FamilyTree& tree, const AttemptFacts& attempt_facts,
                     std::int64_t most) {
  const NodeId node = attempt_facts.selected.id;
  agents::Census census;
  census.earlier_attempts = attempt_facts.earlier_attempts;
  census.passing_children = tree.CountPassing(Kinship::kChild, node, most);
  census.passing_siblings = tree.CountPassing(Kinship::kSibling, node, most);
  census.passing_nephews = tree.CountPassing(Kinship::kNephew, node, most);
  return census;
}

// What is measured against it and its evaluation, too.
Result<void> DescribeRoot(const CampaignFacts& campaign_facts,
                          const AttemptFacts& attempt_facts,
                          agents::Sighting sighting, const Evaluation& root,
                          agents::PromptContext& context) {
  context.root = std::move(sighting);
  DescribeMachine(campaign_facts, attempt_facts.selected.evaluation, root,
                  context);
  TRY_ASSIGN(context.standing, Stand(campaign_facts, attempt_facts, root));
  return {};
}

// For who plans: a plan agent, or one that works alone and has no plan.
Result<std::vector<agents::Unrealised>> ReadUnrealised(
    const CampaignFacts& campaign_facts, const AttemptFacts& attempt_facts) {
  std::vector<agents::Unrealised> told;
  if (attempt_facts.role == Role::kDebug || attempt_facts.plan ||
      campaign_facts.task.root.language == Language::kSim) {
    return told;
  }
  TRY(plans,
      store::ReadUnrealised(campaign_facts.database, campaign_facts.campaign,
                            attempt_facts.nodes_seen, kMostUnrealised));
  for (const auto& [last, tried] : plans) {
    TRY(node, store::Nodes(campaign_facts.database)
                  .Load(campaign_facts.campaign, last));
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
  return BottleneckOf(*longest) == Bottleneck::kMemory ? "memory"
                                                       : "arithmetic";
}

// Those that the campaign began with, of which what was tried on nodes that
// another roof bounds is less near.
Result<std::vector<Lesson>> LessonsFor(const CampaignFacts& campaign_facts,
                                       const NodeRecord& selected) {
  constexpr double kOtherBound = 0.7;
  TRY(lessons,
      store::ReadLessons(campaign_facts.database, campaign_facts.campaign));
  const std::string bound = BoundOfNode(selected.evaluation);
  for (Lesson& lesson : lessons) {
    if (!bound.empty() && !lesson.bound.empty() && lesson.bound != bound) {
      lesson.nearness *= kOtherBound;
    }
  }
  return lessons;
}

Result<std::vector<std::string>> TechniquesOf(
    const CampaignFacts& campaign_facts, NodeId node) {
  TRY(lineage, store::ReadLineage(campaign_facts.database,
                                  campaign_facts.campaign, node));
  std::vector<std::string> techniques;
  for (store::Ancestor& ancestor : lineage) {
    if (ancestor.line.technique.empty()) continue;
    techniques.push_back(std::move(ancestor.line.technique));
  }
  return techniques;
}

Result<agents::Mate> DescribeMate(const CampaignFacts& campaign_facts,
                                  const AttemptFacts& attempt_facts) {
  TRY(own, TechniquesOf(campaign_facts, attempt_facts.selected.id));
  TRY(others, TechniquesOf(campaign_facts, *attempt_facts.mate));
  std::erase_if(others, [&](const std::string& technique) {
    return std::ranges::find(own, technique) != own.end();
  });
  return agents::Mate{*attempt_facts.mate, std::move(others)};
}

// The attempts that no window shows.
Result<void> AddOthers(const CampaignFacts& campaign_facts,
                       const AttemptFacts& attempt_facts, const Window& window,
                       agents::PromptContext& context) {
  std::set<NodeId> shown;
  std::int64_t later = 0;  // Come since it was decided.
  for (const WindowEntry& entry : window.shown) {
    shown.insert(entry.node);
    later += Index(entry.node) >= attempt_facts.nodes_seen ? 1 : 0;
  }
  context.attempts =
      std::max<std::int64_t>(attempt_facts.nodes_seen - 1, 0) + later;
  if (attempt_facts.nodes_seen <= 1) return {};
  TRY(tried, store::ReadTried(campaign_facts.database, campaign_facts.campaign,
                              NodeId{attempt_facts.nodes_seen}, kFastestTried,
                              kNewestTried));
  for (const NodeId node : MostTelling(tried, std::move(shown), kMostTried)) {
    TRY(line, store::ReadLine(campaign_facts.database, campaign_facts.campaign,
                              node));
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
      TRY_ASSIGN(sighting.log,
                 store::ReadLog(campaign_facts.database,
                                campaign_facts.campaign, line.node));
    }
    context.others.push_back(std::move(sighting));
  }
  return {};
}

// What people want of an attempt, by the directives that hold for it.
Result<void> AddWishes(const CampaignFacts& campaign_facts,
                       const AttemptFacts& attempt_facts,
                       agents::PromptContext& context) {
  TRY(directives,
      store::ReadDirectives(campaign_facts.database, campaign_facts.campaign));
  if (directives.empty()) return {};
  TRY(lineage,
      store::ReadLineage(campaign_facts.database, campaign_facts.campaign,
                         attempt_facts.selected.id));
  const auto is_within = [&](NodeId, NodeId top) {
    return std::ranges::any_of(lineage, [&](const store::Ancestor& each) {
      return each.line.node == top;
    });
  };
  const NodeId parent = attempt_facts.selected.id;
  const auto in_force = InForce(directives, attempt_facts.decision);
  context.wishes = WishesFor(in_force, attempt_facts.role, parent, is_within);
  std::vector<Directive> rules;
  for (const Directive* rule : RulesFor(in_force, parent, is_within)) {
    rules.push_back(*rule);
  }
  if (rules.empty()) return {};
  context.breaks_rule = [rules = std::move(rules),
                         language = campaign_facts.task.root.language](
                            const std::string& source) {
    std::vector<const Directive*> all;
    for (const Directive& rule : rules) all.push_back(&rule);
    return WhySourceBreaks(all, {language, source, ""}).has_value();
  };
  return {};
}

Result<agents::PromptContext> Describe(const CampaignFacts& campaign_facts,
                                       const AttemptFacts& attempt_facts,
                                       const Window& window) {
  const NodeRecord& selected = attempt_facts.selected;
  store::Nodes nodes(campaign_facts.database);
  agents::PromptContext context;
  context.role = attempt_facts.role;
  context.task = &campaign_facts.task;
  context.selected = Sight(selected, Kinship::kSelected);
  if (selected.id == kRootNode) {
    TRY_DONE(DescribeRoot(campaign_facts, attempt_facts, context.selected,
                          selected.evaluation, context));
  }
  for (const WindowEntry& entry : window.shown) {
    if (entry.kinship == Kinship::kSelected) continue;
    TRY(node, nodes.Load(campaign_facts.campaign, entry.node));
    if (entry.kinship == Kinship::kRoot) {
      TRY_DONE(DescribeRoot(campaign_facts, attempt_facts,
                            Sight(node, entry.kinship), node.evaluation,
                            context));
    } else {
      context.history.push_back(Sight(node, entry.kinship));
    }
  }
  TRY_DONE(AddOthers(campaign_facts, attempt_facts, window, context));
  TRY_DONE(AddParents(campaign_facts, context));
  TRY_ASSIGN(context.unrealised, ReadUnrealised(campaign_facts, attempt_facts));
  if (attempt_facts.role == Role::kCode) context.plan = attempt_facts.plan;
  // Who codes or repairs has a plan to go by.
  if (attempt_facts.role != Role::kDebug && !context.plan) {
    TRY_ASSIGN(context.lessons, LessonsFor(campaign_facts, selected));
    if (!context.lessons.empty()) {
      TRY(labels, TechniquesOf(campaign_facts, selected.id));
      for (const std::string& label : labels) {
        context.program = ProgramAfter(context.program, label);
      }
    }
  }
  if (attempt_facts.role == Role::kDebug) context.plan = selected.plan;
  if (attempt_facts.mate && attempt_facts.role != Role::kDebug) {
    TRY_ASSIGN(context.mate, DescribeMate(campaign_facts, attempt_facts));
  }
  TRY_DONE(AddWishes(campaign_facts, attempt_facts, context));
  context.seed = campaign_facts.seed;
  context.decision = attempt_facts.decision;
  context.request_options = campaign_facts.request_options;
  return context;
}

}  // namespace

Result<PromptInputs> Brief(const CampaignFacts& campaign_facts,
                           const FamilyTree& tree,
                           const AttemptFacts& attempt_facts) {
  RandomStream stream(campaign_facts.seed, WindowPurpose(attempt_facts.role),
                      static_cast<std::uint64_t>(attempt_facts.decision));
  Window window = agents::BuildWindow(
      attempt_facts.role, attempt_facts.selected.id, tree,
      campaign_facts.window, stream,
      attempt_facts.role == Role::kDebug ? std::nullopt : attempt_facts.mate);
  TRY(context, Describe(campaign_facts, attempt_facts, window));
  if (campaign_facts.task.root.language == Language::kSim) {
    context.census =
        Count(tree, attempt_facts, campaign_facts.window.max_history);
  }
  return PromptInputs{std::move(window), std::move(context)};
}

}  // namespace coppice::engine
