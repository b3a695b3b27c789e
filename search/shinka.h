// Two rules by which ShinkaEvolve picks a parent (Lange, Imajuku, Cetin 2025,
// "ShinkaEvolve"; its database/parents.py), of an archive that holds the
// fastest passing nodes:
//
//   weighted   with x the log speedup, x0 the archive's median of it, and D the
//              median of |x - x0| (1e-6 at least),
//              P(i) ~ sigmoid(lambda (x_i - x0) / D) / (1 + children_i)
//   power law  P(i) ~ rank_i ^ -alpha, from 1 for the fastest
//
// Medians are the mean of the middle two of an even number.  Where the weights
// all vanish, uniform.  Attempts in flight count as children.
//
// As in the other evolutionary rules here, first hops and debugging are added;
// if nothing passes, a draft.  The root is not in the archive.
#pragma once

#include <memory>
#include <vector>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Those marked * did well in a grid on the calibrated landscapes.
struct ShinkaOptions {
  int drafts = 5;              // STARK's n_root.
  double debug_share = 0.5;    // *
  int max_failed_repairs = 2;  // See Pools.
  int archive = 5;             // *
  double lambda = 10.0;        // Shinka's, of the weighted rule.
  double alpha = 1.0;          // Shinka's, of the power law.
};

// A rule has the constant that it draws by, not the other's.
inline constexpr ConstantOf<ShinkaOptions> kShinkaWeightedConstants[] = {
    {"drafts", &ShinkaOptions::drafts, 1, kMany},
    {"debug_share", &ShinkaOptions::debug_share, 0, 1},
    {"max_failed_repairs", &ShinkaOptions::max_failed_repairs, 0, kMany},
    {"archive", &ShinkaOptions::archive, 1, 10000},
    {"lambda", &ShinkaOptions::lambda, 0, 1000},
};

inline constexpr ConstantOf<ShinkaOptions> kShinkaPowerLawConstants[] = {
    {"drafts", &ShinkaOptions::drafts, 1, kMany},
    {"debug_share", &ShinkaOptions::debug_share, 0, 1},
    {"max_failed_repairs", &ShinkaOptions::max_failed_repairs, 0, kMany},
    {"archive", &ShinkaOptions::archive, 1, 10000},
    {"alpha", &ShinkaOptions::alpha, 0, 1000},
};

// O(archive log archive) a selection.
std::unique_ptr<Policy> MakeShinkaWeighted(ShinkaOptions options = {});
std::unique_ptr<Policy> MakeShinkaPowerLaw(ShinkaOptions options = {});

// The chances of the weighted rule, up to a factor.  REQUIRES: as many
// children as log speedups, and one at least.
std::vector<double> ShinkaWeights(const std::vector<double>& log_speedups,
                                  const std::vector<int>& children,
                                  double lambda);

}  // namespace coppice::search
