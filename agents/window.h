// Builds an agent's context window for selected node i (STARK, section 4.4):
//
//   plan  = {i, root} + D(i) + top-r of the leaderboard outside i's subtree
//   code  = {i, root} + D(i) + children of S(i)
//   debug = {i, root} + S(i)
//
// i and the root always stay.  Of the rest, at most `max_history` are kept,
// sampled uniformly without replacement (the paper's appendix B); those cut are
// listed too, marked.
#pragma once

#include "store/records/model_call.h"
#include "store/records/random.h"
#include "store/records/window.h"

namespace coppice::agents {

struct WindowOptions {
  int max_history = 5;  // Nodes beside i and the root; >= 0.
  int leaders = 2;      // r of the leaderboard.
};

// Order: i, root (unless i is it), then each group in commit order (leaders:
// best first).  A node belongs to the first group that claims it.
Window BuildWindow(Role role, NodeId selected, const Genealogy& tree,
                   const WindowOptions& options, RandomStream& stream);

}  // namespace coppice::agents
