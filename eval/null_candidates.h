// Kernels that compute nothing, or not all of it, for any task's definition: a
// task on which one of them passes measures nothing.
//
// The battery follows the filters of robust-kbench and the degenerate problems
// found in KernelBench, where zeros passed as a softmax over 393216 columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "store/records/result.h"
#include "store/records/task.h"
#include "store/records/verdict.h"

namespace coppice::eval {

struct NullCandidate {
  std::string name;  // "zeros", "the previous output", ...
  std::string source;
  Verdict expected = Verdict::kWrongOutput;  // On a task that is fit.
  // Right by construction where every output has fewer elements.
  std::size_t least_elements = 1;
};

// In the language of the task's root, to be called as `run`.  Some spoil what
// the root has written: into its mean, the right output of the call before, its
// first half twice, it without its last element, or rounded to fewer bits.
// kUnavailable if the language is neither C++ nor CUDA C++ (for Python there is
// eval/python/spoiling.py), kUsage if a tensor has a type that kernels of it do
// not take.
Result<std::vector<NullCandidate>> NullCandidates(const Task& task);

}  // namespace coppice::eval
