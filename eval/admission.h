// Whether a task is fit for use: its root passes, on every distribution of
// inputs that it is checked on, and kernels that compute nothing, or not all
// of it, fail on every workload.  A task on which one of these passes measures
// nothing, whatever it is called, unless it is right by construction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/judge/evaluator.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

// Judges all null candidates (eval/null_candidates.h), each on every workload,
// then the root in the full tier.  The task is fit if all findings are good.
// Stops at the first error of ours.
Result<std::vector<Finding>> ExamineTask(Evaluator& evaluator,
                                         const Task& task);

// Judges the null candidates alone.
Result<std::vector<Finding>> ExamineNulls(Evaluator& evaluator,
                                          const Task& task);

// kUnknown: what a null candidate did tells nothing of the task.
enum class Fitness : std::uint8_t { kFit, kUnfit, kUnknown };

// Judges a task of the user's.  It is stricter than WhyUnfit: one finding
// condemns the task.
Fitness FitnessOf(const std::vector<Finding>& findings);

// Why a task measures nothing, in a line: on all of its workloads a null
// candidate passes that must not, or one fails that must pass.  Empty if
// nothing shows that: one that crashed, for want of memory say, does not.
std::string WhyUnfit(const std::vector<Finding>& findings);

}  // namespace coppice::eval
