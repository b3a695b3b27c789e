// The attempts of a window as a table, a line each, the newest last:
//
//   5 | 3 | unroll | passed | 2.50x (2.40-2.62)
//   6 | 3 | tile by 8 | passed | no difference told (0.92-1.08)
//   7 | 5 | vectorise | compile_failed | kernel.cc:9:5: error: 'sum' was not...
//
// They are node, parent, technique, verdict, and how many times as fast as the
// root it is with the 95 % interval, or what failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agents/prompt_limits.h"
#include "agents/situation.h"

namespace coppice::agents {

// The line of a log that says what failed: the first error of a compiler, or
// what was found on a workload, of at most `bytes`.
std::string TellFailure(std::string_view log, std::size_t bytes);

// A line each: "- never realised: tile by 8: Split the j loop. (2 attempts, the
// last, node 7, compile_failed: kernel.cc:9:5: error: ...)".
std::string UnrealisedList(const std::vector<Unrealised>& plans,
                           const PromptLimits& limits);

// If the lines are too many for their limit, some in the middle are left out,
// and a line says how many.  No node twice.
std::string AttemptTable(std::vector<const Sighting*> attempts,
                         const PromptLimits& limits);

}  // namespace coppice::agents
