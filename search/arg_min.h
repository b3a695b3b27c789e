// The member with the smallest key of a changing set of node ids: a tournament
// over ids in order, so that of equal keys the lowest id wins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "store/records/ids.h"

namespace coppice::search {

class ArgMin {
 public:
  // Makes `id` a member with this key, or changes its key.  REQUIRES: key is
  // finite.  O(log n), and usually O(1) if it does not come to lead.
  void Set(NodeId id, double key);
  void Erase(NodeId id);

  std::optional<NodeId> Top() const;  // O(1).  None if there is no member.

 private:
  void Grow(std::size_t ids);
  void Replay(std::size_t id);
  std::uint32_t Winner(std::size_t match) const;
  std::uint32_t Decide(std::size_t match) const;

  std::vector<double> keys_;  // By id, padded to a power of two; +infinity if
                              // not a member.
  std::vector<std::uint32_t> winners_;  // Of match m, between those of 2m and
                                        // 2m + 1.  The final is match 1.
};

}  // namespace coppice::search
