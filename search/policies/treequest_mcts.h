// Monte Carlo tree search as TreeQuest ships it (its StandardMCTS of one
// action, with that class's defaults).  tests/peers/golden_treequest.py asks
// their code, and search/policies/peers_test.cc holds this to its answers.
//
// Attempts come in pairs on one node.  The node of a new pair is found from the
// root, each time by the child with the largest
//
//   V / n + sqrt(2) p sqrt(ln N / n)
//
// of its subtree's n scores with the sum V (search/indexes/subtree_scores.h),
// where N is that count at the parent, and p the softmax of its own score among
// its siblings'; the lowest id of equal ones.
//
// Attempts in flight are paid no heed.  TreeQuest throws away what comes when
// its pair is full already, which only attempts side by side bring; here it
// counts.  A child that holds no candidate or repeats one is a result, and is
// not descended to.
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

// O(children) at each level.
std::unique_ptr<Policy> MakeTreeQuestMcts();

}  // namespace coppice::search
