// Asking an agent: builds its window and prompt, writes the call's intent, and
// gets the model's answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agents/prompt/prompt.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/cut.h"
#include "engine/campaign/ledger.h"
#include "engine/campaign/live_tree.h"
#include "engine/campaign/outages.h"
#include "engine/campaign/prompt_inputs.h"
#include "store/records/attempt.h"
#include "store/records/model_call.h"
#include "store/records/node.h"
#include "store/records/result.h"
#include "store/write/calls.h"

namespace coppice::engine {

// What all have in common who ask for a campaign.
struct AgentContext {
  LiveTree& live_tree;
  Ledger& ledger;
  // Once it is true, calls to language models that are under way end with
  // kCancelled within a second, and none begins.  May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Told, while an answer comes, about how many tokens of it have, and 0 when
  // it comes no more.  Called without the live tree's mutex.
  std::function<void(CallId call, std::int64_t tokens)> heard;
  Outages* outages = nullptr;  // May be null.
  std::int64_t budget = 0;     // In attempts; 0: not known.
  // What is evaluated ends with kCancelled once `stop` is requested, by this
  // flag of who evaluates.  Null: it does not.
  Flag* cut = nullptr;
  std::stop_token stop{};
};

struct Question {
  Role role = Role::kPlan;
  CampaignId campaign{};
  std::uint64_t seed = 0;
  const AttemptRecord& attempt;
  const NodeRecord& parent;  // The selected node, with its texts.
  // The answer to be mended; none: it is the first time.
  const std::optional<store::Rejected>& rejected;
  // Whether something can be made of an answer; asked of what is handed in.
  std::function<Result<void>(const std::string& answer)> accepts{};
};

// The model that was chosen for the attempt, if there are several, or a person
// named one; the first of them, where none was, or one that the role has no
// more.  An Error: the one that a person named cannot be asked now.
Result<const Agent*> AgentOf(const CampaignParts& parts, Role role,
                             const AttemptRecord& attempt);

// What is asked, whoever answers it.  REQUIRES: the live tree's mutex is held.
struct Matter {
  PromptInputs prompt_inputs;
  agents::Prompt prompt;
};
Result<Matter> Put(const CampaignParts& parts,
                   const AgentContext& agent_context, const Question& question);
// The intent to ask it of a model.
CallIntent IntentOf(const CampaignParts& parts, Role role,
                    std::string_view provider, std::string_view model,
                    std::int64_t sample_index, const agents::Prompt& prompt);

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
