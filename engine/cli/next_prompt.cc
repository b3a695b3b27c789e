#include "engine/cli/next_prompt.h"

#include <optional>
#include <string>
#include <utility>

#include "agents/prompt/prompt_templates.h"
#include "config/settings.h"
#include "engine/campaign/prompt_facts.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/prompt_text.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/verb.h"
#include "engine/factory/campaign_factory.h"
#include "store/read/relatives.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

// The role that the engine would ask, which is what --role may say.
Result<Role> RoleFor(const Invocation& invocation, config::Agents agents,
                     const NodeRecord& selected) {
  const bool is_alone = agents == config::Agents::kAlone;
  const bool passed = selected.evaluation.verdict == Verdict::kPassed;
  const Role next = is_alone ? Role::kCode
                    : passed ? Role::kPlan
                             : Role::kDebug;
  const Role role = RoleOf(invocation).value_or(next);
  if (role == next || (role == Role::kCode && next == Role::kPlan)) return role;
  const std::string option = "--role " + std::string(Name(role));
  if (is_alone) {
    return Fail(Errc::kUsage,
                option + ": the code agent of this campaign works alone");
  }
  return Fail(Errc::kUsage,
              option + ": " + NodeText(selected.id) +
                  (passed ? " passed, so there is nothing to debug"
                          : " failed (" +
                                std::string(Name(selected.evaluation.verdict)) +
                                "), so it goes to the debug agent"));
}

// The plan of `--plan-of`, a child of the selected node; by default of its
// latest child.
Result<Plan> ChoosePlan(const Invocation& invocation, store::Database& database,
                        const store::CampaignRow& campaign, NodeId selected) {
  if (const auto word = invocation.Text("plan-of")) {
    TRY(id, ChooseNode(database, campaign, *word));
    TRY(node, store::Nodes(database).Load(campaign.id, id));
    if (node.parent == selected && node.plan) return *node.plan;
    return Fail(Errc::kUsage, "--plan-of " + *word + ": " + NodeText(id) +
                                  " is no child of " + NodeText(selected) +
                                  " with a plan");
  }
  TRY(latest, store::ReadLatestPlan(database, campaign.id, selected));
  if (latest) return *std::move(latest);
  return Fail(Errc::kUsage, NodeText(selected) +
                                ": no attempt on it has a plan for the code "
                                "agent yet; see --role plan");
}

}  // namespace

Result<NextPrompt> PromptOn(const Invocation& invocation,
                            store::Database& database,
                            const store::CampaignRow& campaign, NodeId id) {
  TRY(selected, store::Nodes(database).Load(campaign.id, id));
  TRY(factory, OpenFactory(invocation));
  TRY(settings, factory->SettingsOf(campaign.spec));
  TRY(role, RoleFor(invocation, settings.agents, selected));
  TRY(task, factory->TaskOf(campaign.spec));
  engine::AttemptFacts attempt_facts = {.role = role,
                                        .decision = campaign.attempts,
                                        .selected = selected,
                                        .plan = std::nullopt,
                                        .nodes_seen = campaign.nodes};
  if (role == Role::kCode && settings.agents == config::Agents::kTeam) {
    TRY_ASSIGN(attempt_facts.plan,
               ChoosePlan(invocation, database, campaign, id));
  } else if (invocation.Has("plan-of")) {
    return Fail(Errc::kUsage, "--plan-of: is for --role code in a team");
  }
  const engine::CampaignFacts campaign_facts =
      factory->FactsOf(task, campaign, settings, database);
  engine::PromptInputs prompt_inputs;
  TRY_DONE(store::WithRelatives(
      database, campaign.id, [&](const FamilyTree& tree) -> Result<void> {
        attempt_facts.earlier_attempts =
            tree.CountRelatives(Kinship::kChild, id);
        TRY_ASSIGN(prompt_inputs,
                   engine::Brief(campaign_facts, tree, attempt_facts));
        return {};
      }));
  TRY(prompts, factory->PromptsOf(settings));
  agents::Prompt prompt = prompts->Render(prompt_inputs.context);
  return NextPrompt{role, std::move(prompt_inputs), std::move(prompt)};
}

}  // namespace coppice::cli
