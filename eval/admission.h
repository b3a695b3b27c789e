// Whether a task is fit for use: its root passes, on every distribution of
// inputs that it is checked on, and kernels that compute nothing, or not all
// of it, fail on every workload.  A task on which one of these passes measures
// nothing, whatever it is called.
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
  std::string name;  // "zeros", "the previous output", ...
  std::string source;
};

// As C++ sources.  Those of the second half wrap the task's root: the mean of
// the right output, the right output of the call before, its first half twice,
// it without its last element, or rounded to fewer bits.
Result<std::vector<NullCandidate>> NullCandidates(const Task& task);

// One candidate on one workload.
struct Finding {
  std::string candidate;  // A null candidate's name, or "root".
  std::string workload;   // Its uuid; empty if it concerns all.
  Verdict expected = Verdict::kWrongOutput;
  Verdict found = Verdict::kInconclusive;
  // Largest error over the allowed one: how far the root is from failing.
  double worst_error_ratio = 0.0;
  std::string log;  // Of an unexpected verdict.

  bool Good() const { return found == expected; }
};

// All findings, good or not; the task is fit if all are good.  Stops at the
// first error of ours.  kUnavailable if the task is not a C++ one.
Result<std::vector<Finding>> ExamineTask(Evaluator& evaluator,
                                         const Task& task);

}  // namespace coppice::eval
