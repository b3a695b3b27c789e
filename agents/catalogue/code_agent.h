// The code agent: does to the anchored span what the plan's label says.
#pragma once

#include <string>

#include "agents/situation.h"

namespace coppice::agents::catalogue {

// An explanation and the whole new source; words alone if the plan cannot be
// carried out.
std::string AnswerCode(const Situation& situation);

}  // namespace coppice::agents::catalogue
