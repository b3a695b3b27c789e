// What became of null candidates in Python: mutated_outputs.py judges them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/judge/evaluator.h"

namespace coppice::eval::torch {

// What the problem's worker has found, in JSON.  Beside those that must fail
// there is one that must pass: the problem in double precision.  Where it does
// not, the outputs are rounding errors.  Nothing if that is not to be
// understood.
std::optional<std::vector<Finding>> ReadFindings(const std::string& workload,
                                                 const std::string& found);

// Sorts the findings of several workloads by candidate, as if candidates had
// been judged one by one.  Not all of them need be judged on each workload.
std::vector<Finding> ByCandidate(std::vector<std::vector<Finding>> by_workload);

}  // namespace coppice::eval::torch
