// MAP-Elites (Mouret, Clune 2015, "Illuminating search spaces by mapping
// elites"): the fastest passing node of every cell of a grid is kept, and the
// parent is the elite of a uniformly drawn occupied cell.
//
// A cell is of what a kernel does: what limits it, and the family of techniques
// that made it (store/records/behaviour.h).  The first hops are there to begin
// with.  A node that repeats another's tokens is in no cell.
//
// The rule of before has cells of what the tree knows of a node: how deep it
// is, and which branch it is of.  Depths from 1 on have a row each, the deepest
// all in the last; the k-th first hop's branch is in column k modulo the
// columns.
//
// A share of attempts repairs failing leaves and another improves the fastest
// node of all.  If nothing passes, a draft.  The root is in no cell.  An
// attempt in flight on the root counts as a draft, and its parent is no leaf;
// cells pay it no heed, for their draws part the workers.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Shares are in [0, 1], drawn in this order; both did well in a grid on the
// calibrated landscapes, by depths and branches.
struct MapElitesOptions {
  int drafts = 5;
  double debug_share = 0.3;
  int max_failed_repairs = 2;  // See CandidatePools.
  double fastest_share = 0.6;
};

inline constexpr ConstantOf<MapElitesOptions> kMapElitesConstants[] = {
    {"drafts", &MapElitesOptions::drafts, 1, kMany},
    {"debug_share", &MapElitesOptions::debug_share, 0, 1},
    {"max_failed_repairs", &MapElitesOptions::max_failed_repairs, 0, kMany},
    {"fastest_share", &MapElitesOptions::fastest_share, 0, 1},
};

// O(cells + log n) a selection.
std::unique_ptr<Policy> MakeMapElites(MapElitesOptions options = {});

struct MapElitesDepthOptions {
  int drafts = 5;  // One a column.
  double debug_share = 0.3;
  int max_failed_repairs = 2;
  double fastest_share = 0.6;
  int depths = 8;    // Rows.
  int branches = 5;  // Columns.
};

inline constexpr ConstantOf<MapElitesDepthOptions> kMapElitesDepthConstants[] =
    {
        {"drafts", &MapElitesDepthOptions::drafts, 1, kMany},
        {"debug_share", &MapElitesDepthOptions::debug_share, 0, 1},
        {"max_failed_repairs", &MapElitesDepthOptions::max_failed_repairs, 0,
         kMany},
        {"fastest_share", &MapElitesDepthOptions::fastest_share, 0, 1},
        {"depths", &MapElitesDepthOptions::depths, 1, 1000},
        {"branches", &MapElitesDepthOptions::branches, 1, 1000},
};

// O(depths * branches + log n) a selection.
std::unique_ptr<Policy> MakeMapElitesDepth(MapElitesDepthOptions options = {});

}  // namespace coppice::search
