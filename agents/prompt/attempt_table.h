// The attempts of a campaign as a table, a line each, the newest last:
//
//   5 | 3 | unroll | 2.50x (2.40-2.62)
//   6 | 3 | tile by 8 | no difference told (0.92-1.08)
//   7 | 5 | vectorise | compile_failed | kernel.cc:9:5: error: 'sum' was not...
//
//   8 | 5 | tile by 4 | wrong_output | a hint: ran about 1.80x as fast as the
//       root (1.60-2.00), though it was wrong; y[0]: got 0.5...
//
// They are node, parent, technique, and how many times as fast as the root it
// is with the 95 % interval, or the verdict and what failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_limits.h"

namespace coppice::agents {

// One line without the mark that parts columns, cut at its end.
std::string Cell(std::string_view text, std::size_t bytes);

// The line of a log that says what failed: the first error of a compiler, or
// what was found on a workload, of at most `bytes`.
std::string TellFailure(std::string_view log, std::size_t bytes);

// A line each: "- never realised: tile by 8: Split the j loop. (2 attempts, the
// last, node 7, compile_failed: kernel.cc:9:5: error: ...)".
std::string UnrealisedList(const std::vector<Unrealised>& plans,
                           const PromptLimits& limits);

// `attempts`, the most telling first, have lines as long as these are within
// their limit.  Where there were more so far, the first line says how many.
std::string AttemptTable(const std::vector<const Sighting*>& attempts,
                         std::int64_t so_far, const PromptLimits& limits);

}  // namespace coppice::agents
