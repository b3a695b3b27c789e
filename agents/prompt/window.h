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

#include <optional>

#include "agents/prompt/window_options.h"
#include "store/records/model_call.h"
#include "store/records/window.h"

namespace coppice {
class RandomStream;
}

namespace coppice::agents {

// Order: i, root (unless i is it), then each group in commit order (leaders:
// best first).  No node is in two groups.  What i is to be combined with comes
// after the root and always stays; the root is shown anyway.
Window BuildWindow(Role role, NodeId selected, const FamilyTree& tree,
                   const WindowOptions& options, RandomStream& stream,
                   std::optional<NodeId> mate = std::nullopt);

}  // namespace coppice::agents
