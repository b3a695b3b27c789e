// A window: the nodes an agent is shown beside the one it works on, in order,
// each with the reason it is there (STARK, section 4.4).
#pragma once

#include <array>
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
  kMate = 6,     // What i is to be combined with.
};
inline constexpr std::array<std::string_view, 7> kKinshipNames = {
    "selected", "root", "child", "leader", "nephew", "sibling", "mate"};
std::string_view Name(Kinship kinship);

struct WindowEntry {
  NodeId node{};
  Kinship kinship = Kinship::kSelected;
};

// Nodes of one kinship, next to each other where a window was cut: so many,
// from the first to the last.
struct WindowCut {
  Kinship kinship = Kinship::kSelected;
  NodeId first{};
  NodeId last{};
  std::int64_t nodes = 1;
};

struct Window {
  std::vector<WindowEntry> shown;
  std::vector<WindowCut> cut;  // What belonged here, too, but is over the cap.

  std::int64_t NodesCut() const;
};

// What building a window needs to know of a tree.  search::Tree knows it of one
// in memory, store/read/relatives.h of one in the file.
//
// The relatives of a node are its children, its siblings and its nephews, each
// in commit order; the root has no siblings.  They may be a million, of which a
// window shows a few.
class FamilyTree {
 public:
  virtual ~FamilyTree() = default;

  virtual std::int64_t CountRelatives(Kinship kinship, NodeId of) const = 0;

  // Those at these places among them, 0 being the first.  REQUIRES: there are
  // such, and no place is below the one before it.
  virtual std::vector<NodeId> RelativesAt(
      Kinship kinship, NodeId of,
      const std::vector<std::int64_t>& places) const = 0;

  // How many of them pass, but no more than `most`.
  virtual std::int64_t CountPassing(Kinship kinship, NodeId of,
                                    std::int64_t most) const = 0;

  // Best passing nodes, distinct in source, best first, outside the subtree
  // of `outside`; at most `limit`.  The root is never one of them: every
  // window shows it already.
  virtual std::vector<NodeId> Leaders(NodeId outside, int limit) const = 0;

  // Those of the `size` best passing nodes, distinct in source and the root
  // among them if it is one, that Leaders could give.  So there may be none.
  virtual std::vector<NodeId> LeadersAmong(NodeId outside, int size) const = 0;
};

}  // namespace coppice
