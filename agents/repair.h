// The second chance of a malformed answer.
#pragma once

#include <string_view>

#include "agents/model.h"

namespace coppice::agents {

// The request again, and beneath it what was answered and why it could not be
// used (of agents/grounded.h or ModelAnswer::fault), asking for the whole
// answer once more.  It starts as `request` does, so that a provider's cache
// serves it.  Worth one try; then there is no candidate.
ModelRequest RepairRequest(const ModelRequest& request, std::string_view answer,
                           std::string_view why);

}  // namespace coppice::agents
