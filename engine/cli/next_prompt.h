// What an agent would be asked if the next attempt were on a node.
#pragma once

#include <cstdint>

#include "agents/prompt/prompt.h"
#include "engine/campaign/prompt_inputs.h"
#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice {
enum class Role : std::uint8_t;
}
namespace coppice::store {
struct CampaignRow;
class Database;
}  // namespace coppice::store

namespace coppice::cli {

struct Invocation;

struct NextPrompt {
  Role role{};
  engine::PromptInputs inputs;
  agents::Prompt prompt;
};

// By the options --role and --plan-of.
Result<NextPrompt> PromptOn(const Invocation& invocation,
                            store::Database& database,
                            const store::CampaignRow& campaign, NodeId id);

}  // namespace coppice::cli
