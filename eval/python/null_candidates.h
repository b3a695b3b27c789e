// Null candidates (eval/null_candidates.h) in Python: modules that call the
// problem's own and spoil what it returns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "eval/null_candidates.h"

namespace coppice::eval::python {

// Beside those that must fail, one that must pass: the problem computed in
// double precision.  Where it does not, the outputs are rounding errors.
std::vector<NullCandidate> NullCandidates(const Task& task);

// The same in one go, where the problem is: what to ask its worker, in JSON,
// and what it has found.  Nothing if that is not to be understood.  `rule`: of
// what passes, as keeper.py's compare has it, in JSON.
std::string SpoilingOrder(const Task& task, const std::string& rule);
std::optional<std::vector<Finding>> ReadFindings(const Task& task,
                                                 const std::string& found);

}  // namespace coppice::eval::python
