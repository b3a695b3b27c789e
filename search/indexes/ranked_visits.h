// Nodes in order of score, each with its visits, for rules that weigh the rank
// of a score against visits.
//
// A treap (Aragon, Seidel 1989), its priorities a hash of the id, so that all
// is O(log n) in expectation.  32 bytes a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/records/ids.h"

namespace coppice::search {

class RankedVisits {
 public:
  struct Member {
    NodeId node{};
    double score = 0.0;
    std::uint32_t visits = 0;
    std::int64_t place = 0;  // From 0: by descending score, then ascending id.
  };

  // REQUIRES: node is no member; score is finite.
  void Insert(NodeId node, double score, std::uint32_t visits);

  // No effect on a node that is no member.  Usually O(1).
  void AddVisits(NodeId node, int change);

  std::int64_t size() const { return SizeOf(root_); }

  // Members of a strictly lower score.
  std::int64_t CountBelow(double score) const;

  // The first at this place or after it that has fewer visits than that.
  std::optional<Member> FirstBelow(std::int64_t place,
                                   std::uint32_t visits) const;

  // The fewest visits at these places.  REQUIRES: 0 <= from < to <= size().
  std::uint32_t Fewest(std::int64_t from, std::int64_t to) const;

 private:
  using Link = std::uint32_t;
  static constexpr Link kNone = ~Link{0};
  struct Item {
    NodeId node{};
    double score = 0.0;
    std::uint32_t visits = 0;
    Link left = kNone;
    Link right = kNone;
    Link up = kNone;
    std::uint32_t size = 1;    // Of the subtree.
    std::uint32_t fewest = 0;  // Visits in the subtree.
  };

  std::int64_t SizeOf(Link at) const {
    return at == kNone ? 0 : items_[at].size;
  }
  bool Precedes(const Item& a, const Item& b) const;
  void Update(Link at);
  void RotateUp(Link at);
  std::optional<Member> Find(Link at, std::int64_t before, std::int64_t place,
                             std::uint32_t visits) const;
  std::uint32_t FewestIn(Link at, std::int64_t before, std::int64_t from,
                         std::int64_t to) const;

  std::vector<Item> items_;
  std::vector<Link> item_of_;  // By node.
  Link root_ = kNone;
};

}  // namespace coppice::search
