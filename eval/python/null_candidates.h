// Null candidates (eval/null_candidates.h) in Python: modules that call the
// problem's own and spoil what it returns.
#pragma once

#include <vector>

#include "eval/null_candidates.h"

namespace coppice::eval::python {

// Beside those that must fail, one that must pass: the problem computed in
// double precision.  Where it does not, the outputs are rounding errors.
std::vector<NullCandidate> NullCandidates(const Task& task);

}  // namespace coppice::eval::python
