#include "engine/campaign/prompt_inputs.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "agents/prompt/window.h"
#include "engine/campaign/prompt_facts.h"
#include "engine/campaign/prompt_standing.h"
#include "engine/campaign/prompt_wishes.h"
#include "engine/campaign/status_messages.h"
#include "store/read/history.h"
#include "store/read/tried.h"
#include "store/records/node.h"
#include "store/records/profile.h"
#include "store/records/random.h"
#include "store/records/technique.h"
#include "store/records/tuning.h"
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

constexpr std::int64_t kMostUnrealised = 3;

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
