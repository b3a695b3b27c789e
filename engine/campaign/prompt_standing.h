// What agents are told of the root, and of how far the search has come from it.
#pragma once

#include "store/records/result.h"

namespace coppice {
struct Evaluation;
}
namespace coppice::agents {
struct PromptContext;
struct Sighting;
}  // namespace coppice::agents

namespace coppice::engine {

struct AttemptFacts;
struct CampaignFacts;

// `root` is the root's evaluation, and `sighting` what is told of it as a node.
// What is measured against it, and the machine, too.
Result<void> DescribeRoot(const CampaignFacts& campaign_facts,
                          const AttemptFacts& attempt_facts,
                          agents::Sighting sighting, const Evaluation& root,
                          agents::PromptContext& context);

}  // namespace coppice::engine
