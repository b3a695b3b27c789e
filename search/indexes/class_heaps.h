// Nodes in classes, and the node with the largest key of each class.
//
// For policies whose nodes differ in a key that is theirs for good and in a
// class that all its members share: what a class is worth may then change with
// every attempt and no node need be touched.  The lowest id of equal keys
// leads, so that what leads is a function of the members, not of their history.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "store/records/ids.h"

namespace coppice::search {

class ClassHeaps {
 public:
  // Chosen by the caller; a node is in one class at most.
  using Class = std::uint64_t;

  // Moves the node to this class and key.  O(log n).  REQUIRES: key is finite.
  void Put(NodeId node, Class of, double key);
  void Erase(NodeId node);  // No effect if it is in no class.

  std::optional<NodeId> Top(Class of) const;

  // Calls visit(class, its top, the top's key) for every class that has a
  // member, in order of class.
  template <class Visit>
  void ForEachTop(Visit visit) const {
    for (const auto& [of, heap] : ids_) {
      const std::vector<std::uint32_t>& members = heaps_[heap];
      if (members.empty()) continue;
      visit(of, NodeId{members.front()}, places_[members.front()].key);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Place {
    double key = 0.0;
    std::uint32_t heap = kNone;
    std::uint32_t slot = 0;
  };

  bool Leads(std::uint32_t a, std::uint32_t b) const;
  void Seat(std::uint32_t heap, std::size_t slot, std::uint32_t node);
  void SiftUp(std::uint32_t heap, std::size_t slot);
  void SiftDown(std::uint32_t heap, std::size_t slot);

  std::vector<Place> places_;           // By node.
  std::map<Class, std::uint32_t> ids_;  // Of the heap.
  std::vector<std::vector<std::uint32_t>> heaps_;
};

}  // namespace coppice::search
