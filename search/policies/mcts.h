// UCT: Kocsis, Szepesvari 2006, "Bandit based Monte-Carlo planning", ECML. From
// the root, descends to the child of the largest
//
//   Q_j + c sqrt(ln N / n_j)
//
// until it stands on a node that may have more children, and selects it.  n_j
// is the size of j's subtree and N that of its parent's, attempts in flight
// included (Liu et al. 2020, "Watch the unobserved", ICLR: they count as visits
// and not in Q, which sends workers apart).
//
// A node's reward is 1 / (1 + exp(-2 m)), m its log speedup: 0.5 is as fast as
// the root.  Q is over the passing nodes of the subtree, so a failure counts in
// n, and is never a reward of 0; where none passes, Q is the reward of what the
// child was made from, its nearest passing ancestor (the root if there is
// none).
//
//   mcts           Q the mean reward; a node has `width` children
//   mcts_max       Q the largest reward; so too
//   mcts_widening  Q the largest reward; a node of N visits has widening
//                  N^power children (progressive widening: Coulom 2007,
//                  "Computing Elo ratings of move patterns", as continuous
//                  actions have it in Couetoux et al. 2011)
//
// Decided where the sources are silent: children in flight count against the
// width; children without a candidate count too, but are not descended to, and
// a node that has no others is selected itself.
//
// A selection takes a step a level, and in each a step a child or, above 16
// children, a step a distinct n_j: for a level of k children below n nodes at
// most min(k, sqrt(2 n)).  It goes on only through nodes that have all their
// children, so a chain of any length costs nothing; but the rule may itself
// grow a comb, up to n / width deep, at some 0.1 us a level.  Adding a node or
// an attempt takes O(depth).
#pragma once

#include <cstdint>
#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// From grids over the five families of simulated landscapes, at 30, 100 and 300
// attempts: c of {0.02, 0.05, 0.2, 0.7}, a width of 3 or 5, a power of 0.3 or
// 0.5.
struct MctsOptions {
  double exploration = 0.02;  // c, in rewards.
  int width = 3;
};

inline constexpr ConstantOf<MctsOptions> kMctsConstants[] = {
    {"exploration", &MctsOptions::exploration, 0, 1000},
    {"width", &MctsOptions::width, 1, kMany},
};

struct WideningOptions {
  double exploration = 0.02;  // c, in rewards.
  double widening = 1.0;
  double power = 0.3;
};

inline constexpr ConstantOf<WideningOptions> kWideningConstants[] = {
    {"exploration", &WideningOptions::exploration, 0, 1000},
    {"widening", &WideningOptions::widening, 0.001, 1000},
    {"power", &WideningOptions::power, 0.001, 0.999},
};

std::unique_ptr<Policy> MakeMcts(MctsOptions options = {});
std::unique_ptr<Policy> MakeMctsMax(MctsOptions options = {});
std::unique_ptr<Policy> MakeMctsWidening(WideningOptions options = {});

}  // namespace coppice::search
