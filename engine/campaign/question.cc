#include "engine/campaign/question.h"

#include <mutex>
#include <utility>

#include "agents/prompt/prompt_templates.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/prompt_facts.h"
#include "engine/campaign/prompt_inputs.h"
#include "engine/process/clock.h"
#include "store/records/attempt.h"
#include "store/records/candidate.h"
#include "store/write/calls.h"
#include "store/write/nodes.h"

namespace coppice::engine {

CallIntent IntentOf(const CampaignParts& parts, Role role,
                    std::string_view provider, std::string_view model,
                    std::int64_t sample_index, const agents::Prompt& prompt) {
  CallIntent intent;
  intent.uuid = FreshUuid(parts.clock);
  intent.role = role;
  intent.provider = provider;
  intent.model = model;
  intent.sample_index = sample_index;
  intent.system_prompt = prompt.system;
  intent.user_prompt = prompt.user;
  intent.templates = parts.prompts.TextsOf(prompt.templates);
  intent.template_set = parts.prompts.set();
  intent.sent_at_s = parts.clock.UnixSeconds();
  return intent;
}

Result<Matter> Put(const CampaignParts& parts,
                   const AgentContext& agent_context,
                   const Question& question) {
  const CampaignFacts campaign_facts = {
      parts.database,      parts.task,
      question.campaign,   question.seed,
      parts.window,        parts.hardware,
      parts.threads,       parts.request_options,
      agent_context.budget};
  const AttemptRecord& attempt = question.attempt;
  LiveTree& live_tree = agent_context.live_tree;
  TRY(prompt_inputs,
      Brief(campaign_facts, live_tree.family(),
            {question.role, attempt.reservation.decision, question.parent,
             attempt.plan,
             live_tree.EarlierAttempts(attempt.reservation.decision),
             attempt.reservation.nodes_seen, attempt.reservation.mate}));
  agents::Prompt prompt = parts.prompts.Render(prompt_inputs.context);
  if (question.rejected) {
    prompt = parts.prompts.RenderRepair(prompt, question.rejected->answer,
                                        question.rejected->fault);
  }
  prompt_inputs.context.is_known =
      [&parts, &live_tree,
       campaign = question.campaign](const std::string& source) {
        const std::lock_guard lock(live_tree.mutex());
        const auto equal =
            store::Nodes(parts.database)
                .FindEqual(campaign, {parts.task.root.language, source,
                                      parts.task.root.entry_symbol});
        // Where it cannot be told, the proposal is judged, or found equal
        // later.
        return equal && *equal;
      };
  return Matter{std::move(prompt_inputs.window), std::move(prompt),
                std::make_shared<const agents::PromptContext>(
                    std::move(prompt_inputs.context))};
}

}  // namespace coppice::engine
