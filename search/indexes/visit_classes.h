// The member with the largest value + bonus(visits), for any bonus.
//
// Members with equal visits share the bonus, so only the best of each visit
// count can win: a search costs one step a distinct count.  Where the visits of
// k members sum to n, there are at most min(k, sqrt(2 n)) counts, and usually
// few.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "store/records/ids.h"

namespace coppice::search {

class VisitClasses {
 public:
  struct Winner {
    NodeId node{};
    double worth = 0.0;

    // Larger worth, or the lower id.
    bool Beats(const Winner& other) const {
      return worth != other.worth ? worth > other.worth : node < other.node;
    }
  };

  // O(log k).  REQUIRES: node is no member; value is finite.
  void Insert(NodeId node, std::uint32_t visits, double value);
  // REQUIRES: it was inserted with these.
  void Erase(NodeId node, std::uint32_t visits, double value);

  bool empty() const { return classes_.empty(); }

  // Ties: the lowest id.  None if no member is left but `except`.  Calls
  // compared(winner) for the best of each visit count.
  template <class Bonus, class Compared>
  std::optional<Winner> Best(Bonus bonus, std::optional<NodeId> except,
                             Compared compared) const {
    std::optional<Winner> best;
    for (const auto& [visits, members] : classes_) {
      auto first = members.begin();
      if (except && first->second == *except) ++first;
      if (first == members.end()) continue;
      const Winner winner{first->second, -first->first + bonus(visits)};
      compared(winner);
      if (!best || winner.Beats(*best)) best = winner;
    }
    return best;
  }
  template <class Bonus>
  std::optional<Winner> Best(Bonus bonus,
                             std::optional<NodeId> except = {}) const {
    return Best(bonus, except, [](const Winner&) {});
  }

 private:
  // By descending value, then by id.
  using Members = std::set<std::pair<double, NodeId>>;
  std::map<std::uint32_t, Members> classes_;  // By visits; none is empty.
};

}  // namespace coppice::search
