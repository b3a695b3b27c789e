#include "search/indexes/class_heaps.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace coppice::search {

void ClassHeaps::Put(NodeId node, Class of, double key) {
  assert(std::isfinite(key));
  Erase(node);
  const auto id = static_cast<std::uint32_t>(Index(node));
  if (id >= places_.size()) places_.resize(id + 1);
  const auto [entry, added] =
      ids_.try_emplace(of, static_cast<std::uint32_t>(heaps_.size()));
  if (added) heaps_.emplace_back();
  const std::uint32_t heap = entry->second;
  places_[id].key = key;
  heaps_[heap].push_back(id);
  Seat(heap, heaps_[heap].size() - 1, id);
  SiftUp(heap, heaps_[heap].size() - 1);
}

void ClassHeaps::Erase(NodeId node) {
  const auto id = static_cast<std::size_t>(Index(node));
  if (id >= places_.size() || places_[id].heap == kNone) return;
  const std::uint32_t heap = std::exchange(places_[id].heap, kNone);
  const std::size_t slot = places_[id].slot;
  const std::uint32_t last = heaps_[heap].back();
  heaps_[heap].pop_back();
  if (last == id) return;
  Seat(heap, slot, last);
  SiftUp(heap, slot);
  SiftDown(heap, places_[last].slot);
}

std::optional<NodeId> ClassHeaps::Top(Class of) const {
  const auto entry = ids_.find(of);
  if (entry == ids_.end() || heaps_[entry->second].empty()) return std::nullopt;
  return NodeId{heaps_[entry->second].front()};
}

bool ClassHeaps::Leads(std::uint32_t a, std::uint32_t b) const {
  return places_[a].key != places_[b].key ? places_[a].key > places_[b].key
                                          : a < b;
}

void ClassHeaps::Seat(std::uint32_t heap, std::size_t slot,
                      std::uint32_t node) {
  heaps_[heap][slot] = node;
  places_[node].heap = heap;
  places_[node].slot = static_cast<std::uint32_t>(slot);
}

void ClassHeaps::SiftUp(std::uint32_t heap, std::size_t slot) {
  const std::vector<std::uint32_t>& members = heaps_[heap];
  const std::uint32_t node = members[slot];
  while (slot > 0 && Leads(node, members[(slot - 1) / 2])) {
    Seat(heap, slot, members[(slot - 1) / 2]);
    slot = (slot - 1) / 2;
  }
  Seat(heap, slot, node);
}

void ClassHeaps::SiftDown(std::uint32_t heap, std::size_t slot) {
  const std::vector<std::uint32_t>& members = heaps_[heap];
  const std::uint32_t node = members[slot];
  while (2 * slot + 1 < members.size()) {
    std::size_t child = 2 * slot + 1;
    if (child + 1 < members.size() &&
        Leads(members[child + 1], members[child])) {
      ++child;
    }
    if (!Leads(members[child], node)) break;
    Seat(heap, slot, members[child]);
    slot = child;
  }
  Seat(heap, slot, node);
}

}  // namespace coppice::search
