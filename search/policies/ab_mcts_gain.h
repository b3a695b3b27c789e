// AB-MCTS-A (search/policies/ab_mcts_a.h is the rule itself), adapted to
// kernels: an arm is worth what it is expected to gain.  From the root, at
// every node a draw decides between GEN (select it) and CONT, and if that wins,
// further draws between its children; a node without children is selected.
//
// The belief about GEN is of the results of the node's children, that about
// CONT of all below them, that about a child of all of its subtree.
//
// Changed from the source, whose scores are in [0, 1], 0 for a failure, so that
// a failure costs more than the slowest kernel and hardly less than one that is
// not faster: chances and scores have beliefs of their own.  An arm's draw is
// its expected gain over s, the score of the node one stands on (of what that
// was made from, if it fails):
//
//   p (mu - s),   p  ~ Beta(1 + passing, 1 + failing)
//                 mu ~ belief about the passing results' scores, prior mean s
//
//   ab_mcts_gain       scores are log speedups; the belief is normal
//   ab_mcts_gain_beta  scores are 1 / (1 + exp(-2 m)), m the log speedup; it is
//   beta
//
// An attempt in flight counts as its expected outcome, in part a result that
// passes with score s, in part a failure: by 1 more than all passing nodes of
// the tree out of 2 more than all, the root among both.  It makes the belief
// narrower.
//
// Files of before have these rules as ab_mcts and ab_mcts_beta.
//
// Children without a candidate count as failures and are not descended to.
// Where there are more than 16 children, only the 16 with the largest mean of p
// (mu - s) draw, which is (sum of gains over s) / (2 + results).  So a
// selection takes at most 18 draws a level; it stops at each with about the
// chance of GEN.  Adding a node or an attempt takes O(depth).
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

std::unique_ptr<Policy> MakeAbMctsGain();
std::unique_ptr<Policy> MakeAbMctsGainBeta();

}  // namespace coppice::search
