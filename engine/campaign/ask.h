// Asking an agent: builds its window and prompt, writes the call's intent, and
// gets the model's answer.
#pragma once

#include "engine/campaign/ledger.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice {
struct AttemptRecord;
}

namespace coppice::engine {

struct Agent;
struct AgentContext;
struct CampaignParts;
struct Question;

// The model that was chosen for the attempt, if there are several, or a person
// named one; the first of them, where none was, or one that the role has no
// more.  An Error: the one that a person named cannot be asked now.
Result<const Agent*> AgentOf(const CampaignParts& parts, Role role,
                             const AttemptRecord& attempt);

// The call's row is written but not ended: what is made of the answer belongs
// to the same transaction as its end.
struct AnsweredCall {
  CallId call{};
  CallEnd end;
  Flight flight{};
};

// If the model fails, the call is ended as failed, or as unknown if that is all
// that is known of its last request, and the Error returned: kUnanswered if a
// language model may answer later.  Holds the live tree's mutex, but not while
// the model thinks.
Result<AnsweredCall> Ask(const CampaignParts& parts,
                         const AgentContext& agent_context,
                         const Question& question);

}  // namespace coppice::engine
