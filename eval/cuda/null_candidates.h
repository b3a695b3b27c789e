// Null candidates (eval/null_candidates.h) as device-only CUDA sources: a
// launch plan and kernels of their own, behind the root's where they spoil it.
#pragma once

#include <vector>

#include "eval/judge/null_candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval::cuda {

// kUsage as there; also if a workload does not fit the definition, or a root
// that is to be spoiled has no launch plan.
Result<std::vector<NullCandidate>> NullCandidates(const Task& task);

}  // namespace coppice::eval::cuda
