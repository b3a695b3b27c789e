// What tests of terrains share: a shape and a craft of round numbers, and draws
// that fall as a test needs them.
#pragma once

#include "search/landscapes/terrain.h"

namespace coppice::search {

inline constexpr Shape kShape = {
    .ceiling = 1.0, .shortfall = 0.5, .conservative = 0.25, .gap = 0.4};

// The height of kShape is 1 - -1 = 2 for it.
inline constexpr Craft kCraft = {.first_hop = -1.0, .improves = 0.5};

// Draws by the lowest key for which `holds`.
template <class Predicate>
KeyedDraws DrawsWhere(Predicate holds) {
  for (std::uint64_t key = 1;; ++key) {
    if (const KeyedDraws draws(key); holds(draws)) return draws;
  }
}

}  // namespace coppice::search
