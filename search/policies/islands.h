// Islands with migration, after OpenEvolve's (its database and its defaults,
// version 0.3): the branch of the k-th first hop lives on island k modulo the
// islands.  An attempt goes to the next island in turn; if nothing passes
// there, it drafts for the archipelago.  There it improves
//
//   with explore_share   a uniform passing node of the island
//   with archive_share   a uniform one of the island's elite: its fastest
//                        tenth, and three at least
//   else                 a uniform passing node of all islands
//
// Migration: whenever the commits of the busiest island pass another multiple
// of `generation`, the elites' natives that never migrated are copied to both
// neighbours in the ring.  A copy may be selected and be of the elite there; it
// is not copied on, and the children of a node are natives of its own branch's
// island.
//
// First hops and debugging are added, for kernels fail often.  The turn is that
// of the nodes and the attempts in flight, so that parallel workers go to
// different islands; an attempt in flight on the root counts as a draft, and
// its parent is no leaf.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Those marked * did well in a grid on the calibrated landscapes; OpenEvolve
// has 5 islands and generations of 50, for thousands of attempts.
struct IslandsOptions {
  int islands = 2;             // *
  int drafts = 4;              // *
  double debug_share = 0.5;    // *
  int max_failed_repairs = 2;  // See CandidatePools.
  double explore_share = 0.2;  // These two are OpenEvolve's.
  double archive_share = 0.7;
  int generation = 5;  // *
};

inline constexpr ConstantOf<IslandsOptions> kIslandsConstants[] = {
    {"islands", &IslandsOptions::islands, 1, 1000},
    {"drafts", &IslandsOptions::drafts, 1, kMany},
    {"debug_share", &IslandsOptions::debug_share, 0, 1},
    {"max_failed_repairs", &IslandsOptions::max_failed_repairs, 0, kMany},
    {"explore_share", &IslandsOptions::explore_share, 0, 1},
    {"archive_share", &IslandsOptions::archive_share, 0, 1},
    {"generation", &IslandsOptions::generation, 1, kMany},
};

// O(log n) a selection.  A commit with a migration is O(m log n) for the m
// copies made; since a node migrates once, a commit is O(log n) amortised.
std::unique_ptr<Policy> MakeIslands(IslandsOptions options = {});

}  // namespace coppice::search
