// Greedy: always the fastest passing node, the root among them, however often
// it was tried (one of the policies compared in STARK, section 4.2).
//
// Where the paper is silent it does as search/policies/exploit.h says. Attempts
// that run at the same time start from the same node.
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

std::unique_ptr<Policy> MakeGreedy();

}  // namespace coppice::search
