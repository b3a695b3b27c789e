// Steady-state evolution by tournaments among the young (Real, Aggarwal, Huang,
// Le 2019, "Regularized evolution for image classifier architecture search",
// AAAI-19, algorithm 1): the parent is the fastest of a few nodes drawn
// uniformly, with replacement, from the passing nodes that were committed last;
// a node dies by age, however fast it is.
//
// What an agent's edits need is added: first hops to start from, a share of
// attempts that repair failing leaves, and one that goes to the fastest node of
// all, dead of age or not.  If nothing passes, a draft.
//
// With chance `cross`, none by default, what is improved is combined with the
// winner of a tournament of its own, if that is another node.
//
// An attempt in flight on the root counts as a draft, and its parent is no
// leaf; tournaments pay it no heed, for their draws part the workers.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Shares are in [0, 1], drawn in this order.  Those marked * did well in a grid
// on the calibrated landscapes; Real et al. use populations of 20 to 100, for
// 20,000 candidates.
struct EvolutionaryOptions {
  int drafts = 5;              // STARK's n_root.
  double debug_share = 0.5;    // *
  int max_failed_repairs = 2;  // See CandidatePools.
  double elite_share = 0.25;   // Goes to the fastest.
  int population = 5;          // *
  int tournament = 6;          // *
  double cross = 0.0;
};

inline constexpr ConstantOf<EvolutionaryOptions> kEvolutionaryConstants[] = {
    {"drafts", &EvolutionaryOptions::drafts, 1, kMany},
    {"debug_share", &EvolutionaryOptions::debug_share, 0, 1},
    {"max_failed_repairs", &EvolutionaryOptions::max_failed_repairs, 0, kMany},
    {"elite_share", &EvolutionaryOptions::elite_share, 0, 1},
    {"population", &EvolutionaryOptions::population, 1, kMany},
    {"tournament", &EvolutionaryOptions::tournament, 1, 10000},
    {"cross", &EvolutionaryOptions::cross, 0, 1},
};

// O(tournament log n) a selection.
std::unique_ptr<Policy> MakeEvolutionary(EvolutionaryOptions options = {});

}  // namespace coppice::search
