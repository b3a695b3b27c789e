// Successive halving without barriers or budget: ASHA (Li, Jamieson,
// Rostamizadeh, Gonina, Ben-tzur, Hardt, Recht, Talwalkar 2020, "A system for
// massively parallel hyperparameter tuning", MLSys, algorithm 2), whose arms
// are the branches of the root's children.
//
// A branch reaches rung k with its r * eta^k-th committed node, and stands on
// it with the best log speedup that it had then.  It is due
//
//   a promotion   if it has exactly so many attempts, and stands among the
//                 fastest 1 / eta (rounded down) of all that reached rung k
//   its next one  if it is on the way from rung k to rung k + 1, or from its
//                 first hop to rung 0
//
// The attempt goes to what is due on the highest rung: first the branches on
// the way (the oldest), then the promotions (the fastest when it stood there);
// if nothing is due, the root drafts a new branch.  As no rung is the last, a
// campaign may be continued with any budget.
//
// In the branch it goes to the node with the highest value, ours:
//   passing       its log speedup - stale_penalty * attempts since one
//                 improved on it
//   failing leaf  the log speedup of what it was made from - failing_penalty -
//                 repair_penalty * failed repairs behind it
// A branch in which there is neither is over.  Decided where the source is
// silent: a branch with nothing that passes is not promoted.
//
// An attempt in flight counts in its branch as an attempt, not yet as a
// committed node; on its parent as a child that did not improve.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// The first two did well in a grid on the calibrated landscapes; Hyperband (Li
// et al. 2018) has eta 3 too, and ASHA 4.
struct SuccessiveHalvingOptions {
  int eta = 3;
  int first_rung = 6;          // r, in attempts.
  double stale_penalty = 0.1;  // All three in log speedup.
  double failing_penalty = 0.5;
  double repair_penalty = 0.3;
};

inline constexpr ConstantOf<SuccessiveHalvingOptions> kHalvingConstants[] = {
    {"eta", &SuccessiveHalvingOptions::eta, 2, 1000},
    {"first_rung", &SuccessiveHalvingOptions::first_rung, 1, kMany},
    {"stale_penalty", &SuccessiveHalvingOptions::stale_penalty, 0, 1000},
    {"failing_penalty", &SuccessiveHalvingOptions::failing_penalty, 0, 1000},
    {"repair_penalty", &SuccessiveHalvingOptions::repair_penalty, 0, 1000},
};

// O(log n) a selection, and per commit.
std::unique_ptr<Policy> MakeSuccessiveHalving(
    SuccessiveHalvingOptions options = {});

}  // namespace coppice::search
