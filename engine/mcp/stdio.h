// The protocol over a pipe: a message each line.
#pragma once

#include <atomic>
#include <functional>

#include "engine/mcp/session.h"

namespace coppice::mcp {

enum class Ended : std::uint8_t {
  kWhole,      // All that was under way has ended.
  kUnfinished  // Something goes on: the session and its terms are still used.
};

// Answers what comes from the descriptor `in` by lines to `out`, until its end,
// an overlong line, or `is_over`.  Then everything is cancelled, and waited for
// up to `patience_s`.
Ended ServePipe(Session& session, int in, int out,
                const std::function<bool()>& is_over, double patience_s = 1.5);

}  // namespace coppice::mcp
