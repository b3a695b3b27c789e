// Builds an agent's context window for selected node i (STARK, section 4.4):
//
//   plan  = {i, root} + D(i) + Top-r(C), leaders outside i's subtree
//   code  = {i, root} + D(i) + children of S(i)
//   debug = {i, root} + S(i)
//
// i and the root always stay, since every prompt shows them.  The rest is cut
// to the cap, sampled uniformly without replacement (the paper's appendix B);
// those cut are told as runs, so that only what is shown, and the ends of runs,
// is asked for by name.
#pragma once

#include <cstdint>
#include <optional>

#include "store/records/model_call.h"
#include "store/records/window.h"

namespace coppice {
class RandomStream;
}

namespace coppice::agents {

// What the cap counts.
enum class WindowCap : std::uint8_t {
  kOthers,  // Nodes beside i and the root.
  // All: "whenever the window has more than 5 nodes, we randomly sample 5 from
  // all the nodes in the window" (appendix B).
  kAll,
};

// What Top-r(C) is.
enum class Leaders : std::uint8_t {
  kOutside,  // The best r outside i's subtree (section 4.4).
  // Those outside it of the best r of all, the root among them: C holds no
  // more than r (algorithm 1).
  kBoard,
};

struct WindowOptions {
  int max_history = 5;  // The cap, >= 0.
  int leaders = 2;      // r of the leaderboard.
  WindowCap cap = WindowCap::kOthers;
  Leaders rule = Leaders::kOutside;
};

// Order: i, root (unless i is it), then each group in commit order (leaders:
// best first).  No node is in two groups.  What i is to be combined with comes
// after the root and always stays; the root is shown anyway.
Window BuildWindow(Role role, NodeId selected, const FamilyTree& tree,
                   const WindowOptions& options, RandomStream& stream,
                   std::optional<NodeId> mate = std::nullopt);

}  // namespace coppice::agents
