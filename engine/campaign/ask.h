// Asking an agent: builds its window and prompt, writes the call's intent, and
// gets the model's answer.
#pragma once

#include "engine/campaign/flight.h"
#include "store/records/model_call.h"
#include "store/records/result.h"

namespace coppice::engine {

struct AgentContext;
struct CampaignParts;
struct Question;

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
