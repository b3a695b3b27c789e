// STARK's rule (search/policies/stark.h) with two changes, both ours:
//
//   exploration   with probability debug_share, the failing leaf made from the
//                 fastest code is debugged; else the fastest of a few uniform
//                 passing leaves (the root aside) is improved
//   exploitation  a passing node below the root loses stale_penalty of log
//                 speedup for every child from the stale_children-th on since
//                 the last one that improved on it
//
// So exploring is biased to what is fast, and a node that gives nothing more is
// left for the next best.  Throttling, pruning and the rest are STARK's; where
// exploring finds no leaf of either kind, exploit.
//
// Attempts in flight count as STARK counts them, and further as children that
// do not improve: most do not.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Those marked * did well in a grid on the calibrated landscapes.
struct StarkDebugOptions {
  double epsilon = 0.4;  // *
  int n_root = 5;        // STARK's, as is n_child.
  int n_child = 3;
  double debug_share = 0.6;    // * Of exploring.
  int max_failed_repairs = 2;  // See CandidatePools.
  int entrants = 3;            // Of the drawing of a leaf.
  int stale_children = 3;
  double stale_penalty = 0.03;  // * Per child.
};

inline constexpr ConstantOf<StarkDebugOptions> kStarkDebugConstants[] = {
    {"epsilon", &StarkDebugOptions::epsilon, 0, 1},
    {"n_root", &StarkDebugOptions::n_root, 1, kMany},
    {"n_child", &StarkDebugOptions::n_child, 0, kMany},
    {"debug_share", &StarkDebugOptions::debug_share, 0, 1},
    {"max_failed_repairs", &StarkDebugOptions::max_failed_repairs, 0, kMany},
    {"entrants", &StarkDebugOptions::entrants, 1, 10000},
    {"stale_children", &StarkDebugOptions::stale_children, 1, kMany},
    {"stale_penalty", &StarkDebugOptions::stale_penalty, 0, 1000},
};

// O(log n) a selection.
std::unique_ptr<Policy> MakeStarkDebug(StarkDebugOptions options = {});

}  // namespace coppice::search
