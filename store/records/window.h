// A window: the nodes an agent is shown beside the one it works on, in order,
// each with the reason it is there (STARK, section 4.4).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "store/records/ids.h"

namespace coppice {

enum class Kinship : std::uint8_t {  // DO NOT RENUMBER: stored.
  kSelected = 0,                     // i itself.
  kRoot = 1,
  kChild = 2,    // D(i).
  kLeader = 3,   // Top-r of the leaderboard outside i's subtree.
  kNephew = 4,   // A child of a sibling of i.
  kSibling = 5,  // S(i).
};
std::string_view Name(Kinship kinship);

struct WindowEntry {
  NodeId node{};
  Kinship kinship = Kinship::kSelected;
  bool shown = true;  // False: it belonged here and was cut by the cap.
};

using Window = std::vector<WindowEntry>;

// What building a window needs to know of a tree.  search::Tree knows it; the
// engine joins the two.
class Genealogy {
 public:
  virtual ~Genealogy() = default;

  // Committed children in commit order.
  virtual std::vector<NodeId> Children(NodeId node) const = 0;

  // REQUIRES: node is not the root.
  virtual NodeId Parent(NodeId node) const = 0;

  // Best passing nodes, distinct in source, best first, outside the subtree
  // of `outside`; at most `limit`.  The root is never one of them: every
  // window shows it already.
  virtual std::vector<NodeId> Leaders(NodeId outside, int limit) const = 0;

  // Of the board of the `size` best passing nodes, distinct in source, the root
  // among them if it is one: those that Leaders could give.  So there may be
  // none.
  virtual std::vector<NodeId> OfBoard(NodeId outside, int size) const = 0;
};

}  // namespace coppice
