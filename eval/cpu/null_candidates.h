// Null candidates in C++, behind the root's source where they spoil its output.
#pragma once

#include <vector>

#include "eval/judge/null_candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::cpu {

// kUnavailable if the root is not C++, kUsage if a tensor has a type that its
// kernels do not take.
Result<std::vector<NullCandidate>> NullCandidates(const Task& task);

}  // namespace coppice::eval::cpu
