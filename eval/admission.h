// Whether a task can tell work from cheating: null candidates, which compute
// nothing, must fail on every workload, and the root must pass.
//
// The battery follows the filters of robust-kbench and the degenerate problems
// found in KernelBench, where zeros passed as a softmax over 393216 columns.
#pragma once

#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

struct NullCandidate {
  std::string name;    // "zeros", "ones", "copy of the first input",
  std::string source;  // "nothing written".
};

// As C++ sources for the task's definition.
Result<std::vector<NullCandidate>> NullCandidates(const Definition& definition);

struct Objection {
  std::string candidate;  // A null candidate's name, or "root".
  std::string workload;   // Its uuid; empty if it concerns all.
  std::string what;
};

// Empty if the task is fit for use.  Stops at the first error of ours.
Result<std::vector<Objection>> CheckTask(Evaluator& evaluator,
                                         const Task& task);

}  // namespace coppice::eval
