// A set of node ids that finds its k-th smallest member in O(log n).
//
// Order is by id and never by history, so that a tree rebuilt after a crash
// draws what the lost one would have drawn; a dense array with swap-removal
// would not.  One bit and half a byte of counts per id up to the largest.
#pragma once

#include <cstdint>
#include <vector>

#include "store/records/ids.h"

namespace coppice::search {

class IdSet {
 public:
  // No effect if it is (not) a member already.  O(log n).
  void Insert(NodeId id);
  void Erase(NodeId id);

  bool Contains(NodeId id) const;
  std::int64_t Count() const { return count_; }

  // The k-th smallest, from 0.  REQUIRES: 0 <= k < Count().
  NodeId At(std::int64_t k) const;

 private:
  void Grow(std::size_t words);
  void AddToSums(std::size_t word, int change);

  std::vector<std::uint64_t> words_;  // Bit i of word w: id 64 w + i.
  // Fenwick tree over the words' populations (Fenwick 1994): entry i - 1 sums
  // the words (i - lowbit(i), i].
  std::vector<std::int32_t> sums_;
  std::int64_t count_ = 0;
};

}  // namespace coppice::search
