// What became of null candidates in Python: spoiling.py judges them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/judge/evaluator.h"
#include "store/records/task.h"

namespace coppice::eval::torch {

// What the problem's worker has found, in JSON.  Beside those that must fail
// there is one that must pass: the problem in double precision.  Where it does
// not, the outputs are rounding errors.  Nothing if that is not to be
// understood.
std::optional<std::vector<Finding>> ReadFindings(const Task& task,
                                                 const std::string& found);

}  // namespace coppice::eval::torch
