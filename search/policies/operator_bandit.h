// A bandit over what to do next, by Thompson sampling (Thompson 1933; Russo et
// al. 2018, "A tutorial on Thompson sampling", algorithm 3.2):
//
//   draft         the root
//   improve best  the fastest passing node
//   improve leaf  the faster of two uniform passing leaves; the fastest passing
//                 node if there is no such leaf
//   debug         a uniform failing leaf
//
// An operator is rewarded if its child passes and is at most `slack` slower, in
// log speedup, than the fastest before it; the first that passes is rewarded.
// Every commit discounts all that came before (as Raj, Kalyani 2017, "Taming
// non-stationary bandits", discounted Thompson sampling), so the bandit follows
// a search whose early gains are easy.
//
// Draws one Beta(prior_wins + wins, prior_losses + losses) an operator, and
// takes the highest that can be done; ties: in the order above.
//
// All this is recomputed from the tree alone: a child of the root was a draft,
// one of a failing node a repair, and any other improved the best if its parent
// was that when the child was committed.  An attempt in flight counts as a
// child, of the operator that it would be now, with a part of a win: the mean
// over all operators.
#pragma once

#include <memory>

#include "search/constants.h"
#include "search/policy.h"

namespace coppice::search {

// Ours.  No discount did a little better on the calibrated landscapes at 100
// attempts and beyond; one follows what they do not have: a model that tires.
struct OperatorBanditOptions {
  double prior_wins = 0.6;
  double prior_losses = 1.2;
  double slack = 0.02;
  double discount = 0.97;
  int max_failed_repairs = 3;  // See CandidatePools.
};

inline constexpr ConstantOf<OperatorBanditOptions> kOperatorBanditConstants[] =
    {
        {"prior_wins", &OperatorBanditOptions::prior_wins, 0.001, 1000},
        {"prior_losses", &OperatorBanditOptions::prior_losses, 0.001, 1000},
        {"slack", &OperatorBanditOptions::slack, 0, 1000},
        {"discount", &OperatorBanditOptions::discount, 0.001, 1},
        {"max_failed_repairs", &OperatorBanditOptions::max_failed_repairs, 0,
         kMany},
};

// O(attempts in flight + log n) a selection.
std::unique_ptr<Policy> MakeOperatorBandit(OperatorBanditOptions options = {});

}  // namespace coppice::search
