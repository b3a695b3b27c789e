// ShinkaEvolve's two rules for parents, adapted to kernels, which fail often:
// beside the draw from an archive of the fastest passing nodes there are first
// hops, and a share of attempts that repair failing leaves.  If nothing passes,
// a draft.  The root is not in the archive.  search/policies/shinka.h is
// ShinkaEvolve's rule itself.
//
//   shinka_repairing            ShinkaWeights of log speedups (weighted_draw.h)
//   shinka_repairing_power_law  P(i) ~ rank_i ^ -alpha, from 1 for the fastest
//
// Attempts in flight count as children.  Files of before have these rules as
// shinka_weighted and shinka_power_law.
#pragma once

#include <memory>
#include <vector>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Those marked * did well in a grid on the calibrated landscapes.
struct ShinkaRepairingOptions {
  int drafts = 5;              // STARK's n_root.
  double debug_share = 0.5;    // *
  int max_failed_repairs = 2;  // See CandidatePools.
  int archive = 5;             // *
  double lambda = 10.0;        // Shinka's, of the weighted rule.
  double alpha = 1.0;          // Shinka's, of the power law.
};

// A rule has the constant that it draws by, not the other's.
inline constexpr ConstantOf<ShinkaRepairingOptions>
    kShinkaRepairingConstants[] = {
        {"drafts", &ShinkaRepairingOptions::drafts, 1, kMany},
        {"debug_share", &ShinkaRepairingOptions::debug_share, 0, 1},
        {"max_failed_repairs", &ShinkaRepairingOptions::max_failed_repairs, 0,
         kMany},
        {"archive", &ShinkaRepairingOptions::archive, 1, 10000},
        {"lambda", &ShinkaRepairingOptions::lambda, 0, 1000},
};

inline constexpr ConstantOf<ShinkaRepairingOptions>
    kShinkaRepairingPowerLawConstants[] = {
        {"drafts", &ShinkaRepairingOptions::drafts, 1, kMany},
        {"debug_share", &ShinkaRepairingOptions::debug_share, 0, 1},
        {"max_failed_repairs", &ShinkaRepairingOptions::max_failed_repairs, 0,
         kMany},
        {"archive", &ShinkaRepairingOptions::archive, 1, 10000},
        {"alpha", &ShinkaRepairingOptions::alpha, 0, 1000},
};

// O(archive log archive) a selection.
std::unique_ptr<Policy> MakeShinkaRepairing(
    ShinkaRepairingOptions options = {});
std::unique_ptr<Policy> MakeShinkaRepairingPowerLaw(
    ShinkaRepairingOptions options = {});

}  // namespace coppice::search
