// Beam search, the breadth-first form of Tree of Thoughts (Yao et al. 2023,
// "Tree of Thoughts", algorithm 1), as TreeQuest sets it:
//
// The root gets width * samples children.  Then, of the nodes of each depth,
// the `width` most promising that hold a candidate are the beam; each gets
// `samples` children, the most promising node first, before the depth below is
// gone on with.  A passing node promises its log speedup; a failing one, which
// is then debugged, that of the passing node it was made from, less
// failing_penalty.  Ties: the lower id.
//
// Attempts in flight count as children.  A beam may change when late attempts
// commit, so the depth above the deepest is looked at too.  Decided where the
// source is silent, for it waits for a whole depth: while all that a beam is
// due is in flight, its member with the fewest attempts gets one more; if the
// deepest two hold no candidate, as search/policies/exploit.h says.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

struct BeamOptions {
  int width = 2;                 // KernelAgent's.  TreeQuest's is 3.
  int samples = 5;               // TreeQuest's.
  double failing_penalty = 2.0;  // In log speedup; ours: first what passes.
};

inline constexpr ConstantOf<BeamOptions> kBeamConstants[] = {
    {"width", &BeamOptions::width, 1, 10000},
    {"samples", &BeamOptions::samples, 1, 10000},
    {"failing_penalty", &BeamOptions::failing_penalty, 0, 1000},
};

// O(width) a selection, and per commit.
std::unique_ptr<Policy> MakeBeam(BeamOptions options = {});

}  // namespace coppice::search
