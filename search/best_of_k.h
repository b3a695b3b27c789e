// Best-of-K sampling: every attempt starts from the root, and the fastest of
// them is the answer.  The baseline of Ouyang et al. 2025 (KernelBench) and
// STARK's "sampling agent", table 1.
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

// K is the campaign's budget of attempts; the policy itself has no option.
std::unique_ptr<Policy> MakeBestOfK();

}  // namespace coppice::search
