// PUCT over all nodes at once, without a descent: Aygun et al. 2025, "An AI
// system to help scientists write expert-level empirical software" (arXiv
// 2509.06503), whose rule selects any node u of the tree T by
//
//   R_u + c P sqrt(N) / (1 + V_u),   P = 1 / N
//
// R_u is the rank of its score, from 0 for the slowest to 1 for the fastest (or
// the only one): the share of the other passing nodes that are slower.  V_u
// counts its descendants, and N all nodes, both with attempts in flight.
// Rosin 2011, "Multi-armed bandits with episode context", has PUCT itself.
//
// Decided where the source is silent: a failing node has no score.  It is worth
// (p R + c P sqrt(N)) / (1 + V_u), R the rank that what it was made from has
// (its nearest passing ancestor; 0 if there is none) and p the chance that a
// repair passes: 1 more than the attempts on failing nodes that passed, out of
// 2 more than there were.
//
// In order of score, only a node with fewer visits than all faster ones can be
// the best, so a selection steps along those, O(log n) each: O(log n) of them
// in expectation where visits and scores are unrelated, and never more than c
// sqrt(n), since a bonus makes up for no more ranks.  Adding a node or an
// attempt takes O(depth), with O(log n) for each node whose visits are the
// fewest around.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

struct PuctOptions {
  // c, in ranks.  From 0.2 to 5, on the five families of simulated
  // landscapes.
  double exploration = 2.5;
};

inline constexpr ConstantOf<PuctOptions> kPuctConstants[] = {
    {"exploration", &PuctOptions::exploration, 0, 1000},
};

std::unique_ptr<Policy> MakePuct(PuctOptions options = {});

}  // namespace coppice::search
