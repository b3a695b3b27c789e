// network(a): a small array that is sorted becomes scalars and a network of
// comparisons without branches, of which only those are left that an element
// used behind it depends on.
//
//   float w[9]; fill(w); sort(w); y[i] = w[4];
// becomes
//   float w_0, ..., w_8; fill; m = min(w_0, w_1); ...; y[i] = m35;
// Sorts are std::sort, std::nth_element, insertion sort by a `while`, and
// loops of known length that swap two elements which are in the wrong order.
// The last need not sort: each of their swaps becomes one comparison.  Loops
// that fill or read the array are written out, and what counts its elements
// with them.  No element may be NaN.
//
// The network is Batcher's merge exchange (Knuth, The Art of Computer
// Programming, volume 3, 5.2.2, algorithm M).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Network(const Site& site, const Technique& technique);

// The arrays in the list that are sorted like that.
std::vector<std::string> SortedArrays(const Site& site);

// Puts the lesser of two elements first, and the greater second.
using Comparison = std::pair<std::size_t, std::size_t>;
std::vector<Comparison> SortingNetwork(std::size_t count);

}  // namespace coppice::agents::catalogue
