#include "engine/campaign/agent_choice.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "config/settings.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/model_picks.h"
#include "engine/campaign/named_agents.h"
#include "engine/steering/steering.h"
#include "search/tree.h"
#include "store/records/attempt.h"
#include "store/records/directive.h"
#include "store/write/model_picks.h"

namespace coppice::engine {
namespace {

// Null: none was, or it is there no more.
Result<const Agent*> ChosenAgent(const CampaignParts& parts, Role role,
                                 const AttemptRecord& attempt) {
  const auto& picks = attempt.reservation.picks;
  const auto pick = std::ranges::find(picks, role, &ModelPick::role);
  if (pick != picks.end() && IsNamed(*pick) && parts.named != nullptr) {
    return parts.named->Get(role, pick->model);
  }
  const auto roster = std::ranges::find(parts.rosters, role, &Roster::role);
  if (pick == picks.end() || roster == parts.rosters.end())
    return static_cast<const Agent*>(nullptr);
  const auto name = std::ranges::find(roster->names, pick->model);
  if (name == roster->names.end()) return static_cast<const Agent*>(nullptr);
  return &roster
              ->agents[static_cast<std::size_t>(name - roster->names.begin())];
}

}  // namespace

Role RoleFor(config::Agents agents, Stage stage, Verdict verdict) {
  if (agents == config::Agents::kAlone || stage == Stage::kPlanned) {
    return Role::kCode;
  }
  return verdict == Verdict::kPassed ? Role::kPlan : Role::kDebug;
}

Result<const Agent*> AgentOf(const CampaignParts& parts, Role role,
                             const AttemptRecord& attempt) {
  TRY(chosen, ChosenAgent(parts, role, attempt));
  if (chosen != nullptr) return chosen;
  switch (role) {
    case Role::kPlan:
      return &parts.plan;
    case Role::kCode:
      return &parts.code;
    case Role::kDebug:
      return &parts.debug;
  }
  return &parts.plan;
}

std::string WhyNotAsked(const CampaignParts& parts,
                        const Directive& directive) {
  if (directive.kind != DirectiveKind::kModel) return "";
  if (parts.named == nullptr) return "this campaign can ask no other model";
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    if (directive.role && *directive.role != role) continue;
    const auto agent = parts.named->Get(role, directive.text);
    if (!agent) return agent.error().what;
  }
  return "";
}

Result<std::vector<ModelPick>> PickModels(const CampaignParts& parts,
                                          const DecisionScene& scene) {
  std::vector<ModelPick> picks;
  const Role first = RoleFor(parts.agents, Stage::kReserved,
                             scene.tree.Node(scene.parent).verdict);
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    const bool is_asked =
        role == first || (first == Role::kPlan && role == Role::kCode);
    if (!is_asked) continue;
    if (const Directive* by = FindModel(scene.in_force, role)) {
      // Its key may have gone since it was taken up.
      if (std::string why = WhyNotAsked(parts, *by); !why.empty()) {
        return Fail(Errc::kUsage, "directive " + std::to_string(Index(by->id)) +
                                      " of " + by->author + ": " + why +
                                      "; `coppice steer withdraw " +
                                      std::to_string(Index(by->id)) +
                                      "` asks the model of the settings again");
      }
      picks.push_back(NamedPick(role, *by));
      continue;
    }
    const auto roster = std::ranges::find(parts.rosters, role, &Roster::role);
    if (roster == parts.rosters.end()) continue;
    TRY(asked, store::ReadAsked(parts.database, scene.campaign));
    picks.push_back(PickModel(*parts.model_rule, role, roster->names,
                              roster->models,
                              {scene.tree, asked, scene.seed, scene.decision}));
  }
  return picks;
}

}  // namespace coppice::engine
