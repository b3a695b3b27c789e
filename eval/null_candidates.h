// Kernels that compute nothing, or not all of it, for any task's definition: a
// task on which one of them passes measures nothing.
//
// The battery follows the filters of robust-kbench and the degenerate problems
// found in KernelBench, where zeros passed as a softmax over 393216 columns.
#pragma once

#include <vector>

#include "eval/judge/null_candidate.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// In the language of the task's root, to be called as `run`.  Some spoil what
// the root has written: into its mean, the right output of the call before, its
// first half twice, it without its last element, or rounded to fewer bits.
// kUnavailable if the language is neither C++ nor CUDA C++ (for Python there is
// eval/torch/mutated_outputs.py), kUsage if a tensor has a type that kernels of
// it do not take.
Result<std::vector<NullCandidate>> NullCandidates(const Task& task);

}  // namespace coppice::eval
