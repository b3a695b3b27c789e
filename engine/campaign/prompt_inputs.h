// What an agent is told: its window of the tree, and what is known of the nodes
// in it.  The engine asks its agents with it, and `coppice prompt` shows it.
#pragma once

#include "agents/prompt/prompt_context.h"
#include "store/records/result.h"
#include "store/records/window.h"

namespace coppice::engine {

struct AttemptFacts;
struct CampaignFacts;

struct PromptInputs {
  Window window;
  agents::PromptContext context;
};

// A pure function of tree, history and attempt facts.
Result<PromptInputs> Brief(const CampaignFacts& campaign_facts,
                           const FamilyTree& tree,
                           const AttemptFacts& attempt_facts);

}  // namespace coppice::engine
