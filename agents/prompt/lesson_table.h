// What other campaigns' lessons come to, a line for each kind of technique on
// an operation, those that gained most first:
//
//   register_block(8, 32) | gemm | 5 of 6 passed | 3.2x its parent (1.1-8.0) |
//     gemm_nt.xei_b.s1 node 3 of mine.db
//   tile(16) | conv | 0 of 4 passed | wrong_output: workload 3: ... | ...
//   "use exp2" | softmax | a person
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "agents/prompt/prompt_limits.h"
#include "store/records/lesson.h"

namespace coppice::agents {

// A person's line is cut after so many.
inline constexpr std::size_t kMostNoteBytes = 240;

// A table of at most limits.lessons bytes: persons' lines first, then those
// kinds whose nearness and effects tell most.  Empty if there are no lessons.
std::string LessonTable(std::span<const Lesson> lessons,
                        const PromptLimits& limits);

}  // namespace coppice::agents
