// AB-MCTS-A as TreeQuest ships it (Inoue et al. 2025, "Wider or deeper? Scaling
// LLM inference-time compute with adaptive branching tree search", arXiv
// 2503.04412; its ABMCTSA of one action, with that class's defaults).
// tests/peers/golden_treequest.py asks their code, and
// search/policies/peers_test.cc holds this to its answers.
//
// From the root, at every node one draw of each belief decides between GEN
// (select it) and CONT; if that wins, further draws between its children, and
// one goes on from the one with the largest.  A node without children is
// selected.  The belief about GEN is of the scores of the node's children, that
// about CONT of all below them, that about a child of its own and all below it
// (search/indexes/subtree_scores.h).
//
//   ab_mcts_a       beliefs are normal, from the prior mean 0
//   ab_mcts_a_beta  beta, from Jeffreys' Beta(1/2, 1/2)
//
// Attempts in flight are paid no heed, as there.  A child that holds no
// candidate or repeats one is a result, and is not descended to: TreeQuest
// knows no such.  AB-MCTS-M, whose beliefs are samples of a mixed model, is not
// made: it takes PyMC.
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

// A draw a child at each level, and three more.
std::unique_ptr<Policy> MakeAbMctsA();
std::unique_ptr<Policy> MakeAbMctsABeta();

}  // namespace coppice::search
