#include "engine/campaign/call_session.h"

#include <mutex>
#include <optional>
#include <utility>

#include "agents/provider/agent_session.h"
#include "engine/campaign/agent_context.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/question.h"
#include "engine/campaign/session_opener.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/write/campaigns.h"
#include "store/write/wire_calls.h"

namespace coppice::engine {
namespace {

// What the caps of the campaign leave; none: there is none of money.
Result<std::optional<double>> LeftByCaps(const CampaignParts& parts,
                                         const AgentContext& agent_context,
                                         CampaignId campaign) {
  const std::lock_guard lock(agent_context.live_tree.mutex());
  const auto& cap = agent_context.ledger.caps().campaign.usd;
  if (!cap) return std::optional<double>();
  TRY(used, store::ReadUsed(parts.database, campaign));
  return std::optional(*cap - used.usd);
}

}  // namespace

Result<std::unique_ptr<agents::AgentSession>> OpenSession(
    const CampaignParts& parts, const AgentContext& agent_context,
    const Question& question, const Agent& agent, CallId call,
    const CallIntent& intent) {
  TRY(left, LeftByCaps(parts, agent_context, question.campaign));
  const auto find = [&] {
    const std::lock_guard lock(agent_context.live_tree.mutex());
    return store::Campaigns(parts.database).Find(question.campaign);
  };
  TRY(campaign, find());
  return agent.sessions->Open(
      {parts.database, agent_context.live_tree.mutex(), parts.clock, parts.task,
       call, intent.uuid, question.attempt.reservation.uuid, question.role,
       campaign.spec.name,
       question.parent.candidate ? question.parent.candidate->source : "",
       question.attempt.reservation.parent,
       intent.system_prompt + "\n\n" + intent.user_prompt, left,
       question.accepts});
}

}  // namespace coppice::engine
