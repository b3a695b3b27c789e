// The best part of a growing set of nodes, by key: of n nodes the
// max(least, n / share) with the smallest keys; equal keys: the lower ids.
//
// Two heaps, so O(log n) a node; 16 bytes a node.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "search/id_set.h"

namespace coppice::search {

class TopShare {
 public:
  // Who came in and who went out by one addition, which is at most one each.
  struct Change {
    std::optional<NodeId> in;
    std::optional<NodeId> out;
  };

  // REQUIRES: least >= 0, share >= 1.
  TopShare(std::int64_t least, std::int64_t share)
      : least_(least), share_(share) {}

  // REQUIRES: node is not in it; key is no NaN (infinity will do).
  Change Add(NodeId node, double key);

  std::int64_t Count() const;                        // Of the whole set.
  const IdSet& Members() const { return members_; }  // Of the elite.

 private:
  using Entry = std::pair<double, std::uint32_t>;

  std::int64_t least_;
  std::int64_t share_;
  std::vector<Entry> elite_;  // Heap; its worst in front.
  std::vector<Entry> rest_;   // Heap; its best in front.
  IdSet members_;
};

}  // namespace coppice::search
