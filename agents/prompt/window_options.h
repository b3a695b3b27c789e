// How many nodes an agent's window holds, and which of the leaders.
#pragma once

#include <cstdint>

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

}  // namespace coppice::agents
