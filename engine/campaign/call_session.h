// Where an agent works on a call that has tools.
#pragma once

#include <memory>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
struct CallIntent;
}
namespace coppice::agents {
class AgentSession;
}

namespace coppice::engine {

struct Agent;
struct AgentContext;
struct CampaignParts;
struct Question;

// REQUIRES: the agent works in sessions.  Not while the live tree's mutex is
// held.
Result<std::unique_ptr<agents::AgentSession>> OpenSession(
    const CampaignParts& parts, const AgentContext& agent_context,
    const Question& question, const Agent& agent, CallId call,
    const CallIntent& intent);

}  // namespace coppice::engine
