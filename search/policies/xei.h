// Expected improvement over the incumbent per attempt, in log speedup, with all
// that it takes learned inside the campaign from pooled counts.  Ours.
//
// m is a node's log speedup, m* the best of all but the root.  An edit (an
// attempt on a passing node) improves with chance alpha, then by lambda on
// average, with an exponential tail, which is what reaches past the incumbent:
//
//   passing node   E_i lambda exp((m - m*) / (H lambda)),
//                  E_i = (alpha w + b) / (w + n), n children of which b improve
//   failing node   as an edit   R_k lambda exp((m_base - m*) / (H lambda)),
//                  R_k the chance that a repair, after k others in a row,
//                  passes and improves on what the edit was made from
//                  as a first hop   P_k V, P_k that such a repair passes
//   root           P V, P the chance that a first hop passes, V the mean of
//                  max(x - m*, 0) + alpha lambda exp(min(0, x - m*)/(H lambda))
//                  over the log speedups x of first hops and five points of
//                  the prior
//
// The node of the largest value is selected; the first `drafts` first hops come
// before all else.  alpha, lambda, P, P_k and R_k are counts and the priors
// below: improving edits out of all, with 4 of the prior; the mean gain of
// those with 2; passing first hops with 1.5 of 3; repairs with 3, of which the
// second in a row passes 0.7 times as often as the first and a later one 0.4
// times; improving repairs with 4 and repair_chance * improve_chance / 0.6.
// Above k = 2, P_k and R_k are further divided by 1 + (k - 2) / 2.
//
// xei_hint, which is xei_b beside that, tells failures apart.  What never ran
// has P_k and R_k of its own, from mend_chance on: it may violate what no
// repair can give.  A wrong one with a hint h (store/records/hint.h), and a
// repair of it that does not compile, is worth
//
//   P_k mean of V(x)      V(x) = max(x - m*, 0)
//                                + alpha lambda exp(min(0, x - m*) / (H
//                                lambda))
//
// over three points x, of Gauss and Hermite, about what is believed of its
// repair: the mean of h and of what an attempt of its kind comes to, a first
// hop N(hop_mean, hop_spread^2), an edit N(m_base, edit_spread^2), each by the
// inverse of its variance, h's being hint_doubt^2.  All others it values as
// xei_b does.
//
// And it looks ahead.  More comes of a branch that is begun, the more attempts
// are left to work on it, so the points of the prior in V are believed to
// scatter by
//
//   near_spread + (far_spread - near_spread) left / (left + halfway)
//
// in the place of hop_spread, which it is where nobody said what is left.
//
// xei takes the chances' means.  xei_ts draws them (Thompson 1933): one beta
// variate for P, then one for each class of nodes, in the order of the classes.
// xei_b is xei until the incumbent is stagnation attempts old; then it leaves
// it, with a chance that grows with every attempt up to leave_cap: it widens
// the root while that has fewer than widening sqrt(tree size) children, else
// takes the branch with the largest upper bound but the incumbent's, and the
// best node in it (search/indexes/root_subtrees.h).
//
// Decided here: a failing node is repaired once, and what came of it is the
// next to repair, so a failing node that has a child is not selected.  Attempts
// in flight count as children that do not improve (of the root, as drafts),
// which sends workers apart; the pooled chance would send them to where a
// node's children do worse than the pool.  A node counts as improving by
// Lineage.  Log speedups of first hops are rounded (AttemptTally), so V is a
// short sum over any number of them.
//
// Nodes that share n and b, or k, share all but m, so a selection looks at the
// fastest of each such class.  n, b and k above 15 go by their first four bits
// (17 as 16, 100 as 96), so classes stay few: hundreds after a million
// attempts.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Defaults are from a grid over the five families of simulated landscapes, at
// 30, 100 and 300 attempts, where it is said; others were not searched.
struct XeiOptions {
  double horizon = 0.5;       // H: how many further edits a tail may count on.
                              // From the grid {0.25, 0.5, 1}.
  double node_weight = 10.0;  // w, in children.  From {4, 10}.
  double improve_chance = 0.25;  // alpha before any count.
  double gain = 0.2;             // lambda before any count.
  double repair_chance = 0.4;    // Of a first repair.  From {0.25, 0.4}.
  double hop_mean = -0.3;        // The prior's first hops: their mean
  double hop_spread = 0.4;       // and deviation.  From {0.4, 0.6}.
  int drafts = 3;                // First hops before all else.
};

inline constexpr ConstantOf<XeiOptions> kXeiConstants[] = {
    {"horizon", &XeiOptions::horizon, 0.001, 1000},
    {"node_weight", &XeiOptions::node_weight, 0.001, 10000},
    {"improve_chance", &XeiOptions::improve_chance, 0.001, 0.999},
    {"gain", &XeiOptions::gain, 0.001, 1000},
    {"repair_chance", &XeiOptions::repair_chance, 0.001, 0.999},
    {"hop_mean", &XeiOptions::hop_mean, -100, 100},
    {"hop_spread", &XeiOptions::hop_spread, 0.001, 100},
    {"drafts", &XeiOptions::drafts, 0, kMany},
};

struct LeaveOptions {
  int stagnation = 20;  // From {10, 20}.
  double leave_cap = 0.5;
  double widening = 0.5;     // From {0.5, 1}.
  double exploration = 1.5;  // c of the bound.  From {1.5, 3}.
};

inline constexpr ConstantOf<LeaveOptions> kLeaveConstants[] = {
    {"stagnation", &LeaveOptions::stagnation, 1, kMany},
    {"leave_cap", &LeaveOptions::leave_cap, 0, 1},
    {"widening", &LeaveOptions::widening, 0.001, 1000},
    {"exploration", &LeaveOptions::exploration, 0, 1000},
};

struct RepairOptions {
  double mend_chance = 0.1;  // Of a first repair of what never ran.
  double hint_doubt = 0.2;   // Deviation of hints, in log speedup.
  double edit_spread = 0.3;  // Of edits about their base, before their hints.
};

inline constexpr ConstantOf<RepairOptions> kRepairConstants[] = {
    {"mend_chance", &RepairOptions::mend_chance, 0.001, 0.999},
    {"hint_doubt", &RepairOptions::hint_doubt, 0.001, 100},
    {"edit_spread", &RepairOptions::edit_spread, 0.001, 100},
};

// From a scan of three by three on the simulated families and recorded:train.
struct AheadOptions {
  double near_spread = 0.15;  // Of first hops, when hardly any attempt is left,
  double far_spread = 0.7;    // and when the end is far.
  double halfway = 40.0;      // Attempts left where it is between these.
};

inline constexpr ConstantOf<AheadOptions> kAheadConstants[] = {
    {"near_spread", &AheadOptions::near_spread, 0.001, 100},
    {"far_spread", &AheadOptions::far_spread, 0.001, 100},
    {"halfway", &AheadOptions::halfway, 0.001, kMany},
};

std::unique_ptr<Policy> MakeXei(XeiOptions options = {});
std::unique_ptr<Policy> MakeXeiTs(XeiOptions options = {});
std::unique_ptr<Policy> MakeXeiB(XeiOptions options = {},
                                 LeaveOptions leave = {});
std::unique_ptr<Policy> MakeXeiHint(XeiOptions options = {},
                                    LeaveOptions leave = {},
                                    RepairOptions repairs = {},
                                    AheadOptions ahead = {});

}  // namespace coppice::search
