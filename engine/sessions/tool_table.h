// The tools that an agent has in its session, as the protocol lists them.
#pragma once

#include <span>

#include "engine/service/operation.h"
#include "store/records/model_call.h"

namespace coppice::sessions {

// Their `answer` is null: the session (tool_session.h) answers.
std::span<const service::Operation> ToolsFor(Role role);

}  // namespace coppice::sessions
