// For tests: what an agent is told about a kernel.
#pragma once

#include <string>

#include "agents/prompt/prompt_context.h"
#include "store/records/task.h"

namespace coppice::agents::catalogue {

// M = 200, N = 300, K = 100 on two threads; the root, which passed, is
// selected.
PromptContext PromptContextOf(const Task& task, const std::string& source);

// A node made from the selected one by this technique on its whole body.
Sighting Attempted(const PromptContext& context, const std::string& technique,
                   Verdict verdict);

Task TaskOfSizes();

}  // namespace coppice::agents::catalogue
