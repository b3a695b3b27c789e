// The debug agent: a failed kernel's idea in a safer form, or withdrawn.
//
// Each technique has variants that trust less (a masked tail for an
// overlapping one, a tested loop for a bold one, more accurate functions).
// The first that differs from what failed is tried; after them the change is
// taken back and the parent's source returned.
#pragma once

#include <string>

#include "agents/prompt/prompt_context.h"

namespace coppice::agents::catalogue {

std::string AnswerDebug(const PromptContext& context);

}  // namespace coppice::agents::catalogue
