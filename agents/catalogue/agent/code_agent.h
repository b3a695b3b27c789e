// The code agent: does to the anchored span what the plan's label says.
#pragma once

#include <string>

#include "agents/prompt/prompt_context.h"

namespace coppice::agents::catalogue {

// An explanation and the whole new source; words alone if the plan cannot be
// carried out.
std::string AnswerCode(const PromptContext& context);

}  // namespace coppice::agents::catalogue
