// pad(x): a border of zeros instead of a test at each load.
//
//   if (row >= 0 && row < H && column >= 0 && column < W) {
//     sum += x[(plane * H + row) * W + column] * w;
//   }
// reads, from a copy of x with rows and columns of zeros around each plane,
// without a condition, which frees the loops for vector code.  For a maximum
// the border is -infinity.  Right as long as a zero factor makes a zero.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Pad(const Site& site, const Technique& technique);

// The array that pad() could copy in the list; empty if there is none.
std::string Paddable(const StmtList& list);

}  // namespace coppice::agents::catalogue
