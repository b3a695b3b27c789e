// AIDE's rule (Jiang et al. 2025, "AIDE: AI-driven exploration in the space of
// code"; search_policy in its agent.py):
//
//   1. draft until there are enough drafts
//   2. with some probability debug a uniform failing leaf
//   3. else improve the fastest node; draft if nothing passes
//
// The root is never improved.  As in AIDE's source, a leaf with exactly
// max_failed_repairs failed repairs behind it is still debugged.  An attempt in
// flight on the root counts as a draft, and its parent is no leaf; the fastest
// node is improved however many attempts on it are in flight.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Defaults are AIDE's.
struct AideOptions {
  int drafts = 5;
  double debug_share = 0.5;
  int max_failed_repairs = 3;  // See CandidatePools.
};

inline constexpr ConstantOf<AideOptions> kAideConstants[] = {
    {"drafts", &AideOptions::drafts, 1, kMany},
    {"debug_share", &AideOptions::debug_share, 0, 1},
    {"max_failed_repairs", &AideOptions::max_failed_repairs, 0, kMany},
};

// O(log n) a selection.
std::unique_ptr<Policy> MakeAide(AideOptions options = {});

}  // namespace coppice::search
