// What agents are told of people's wishes.
#pragma once

#include "store/records/result.h"

namespace coppice::agents {
struct PromptContext;
}

namespace coppice::engine {

struct AttemptFacts;
struct CampaignFacts;

// By the directives that hold for the attempt.
Result<void> AddWishes(const CampaignFacts& campaign_facts,
                       const AttemptFacts& attempt_facts,
                       agents::PromptContext& context);

}  // namespace coppice::engine
