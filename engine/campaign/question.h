// What an agent is asked, whoever answers it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agents/prompt/prompt.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/result.h"
#include "store/records/window.h"

namespace coppice {
struct AttemptRecord;
struct NodeRecord;
}  // namespace coppice
namespace coppice::agents {
struct PromptContext;
}
namespace coppice::store {
struct Rejected;
}

namespace coppice::engine {

struct AgentContext;
struct CampaignParts;

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

struct Matter {
  Window window;
  agents::Prompt prompt;
  // What it was rendered from.  It asks the live tree, whose mutex must not be
  // held then, what is known.
  std::shared_ptr<const agents::PromptContext> context;
};
// REQUIRES: the live tree's mutex is held.  The parts outlive what it returns.
Result<Matter> Put(const CampaignParts& parts,
                   const AgentContext& agent_context, const Question& question);
// The intent to ask it of a model.
CallIntent IntentOf(const CampaignParts& parts, Role role,
                    std::string_view provider, std::string_view model,
                    std::int64_t sample_index, const agents::Prompt& prompt);

}  // namespace coppice::engine
