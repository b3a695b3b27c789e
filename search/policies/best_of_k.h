// Best-of-K sampling: every attempt starts from the root, and the fastest of
// them is the answer.  The baseline of Ouyang et al. 2025 (KernelBench) and
// STARK's "sampling agent", table 1.
//
// With repairs it is STARK's MA-only (table 3), "the multi-agent workflow
// (plan/code/debug) using best-of-K sampling instead of search": a sample that
// fails goes to the debug agent, up to so many times while it fails, before the
// next sample.  The paper does not say how many times.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// K is the campaign's budget of attempts.
// As large as a double, since g++ 12 at -O3 warns that ConstantOf might read
// one of it.
struct alignas(double) BestOfKOptions {
  int repairs = 0;  // Of each sample.
};

inline constexpr ConstantOf<BestOfKOptions> kBestOfKConstants[] = {
    {"repairs", &BestOfKOptions::repairs, 0, kMany},
};

// O(log n) a selection.
std::unique_ptr<Policy> MakeBestOfK(BestOfKOptions options = {});

}  // namespace coppice::search
