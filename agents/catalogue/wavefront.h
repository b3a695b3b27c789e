// wavefront(i, j): a table in which each element follows from those above it
// and to its left, by anti-diagonals, whose elements do not wait for each
// other.
//
//   for i { for j { t[i * W + j] = f(t[(i - 1) * W + j], t[i * W + j - 1]); } }
// becomes, for d = i + j,
//   for d { simd for i { t[d * H + i] = f(t[(d - 1) * H + i - 1],
//                                         t[(d - 1) * H + i]); } }
// The table, a vector of the kernel's own, is laid out by diagonals wherever
// it is used, so that neighbours on one lie side by side.  It takes up to
// (W + H) / W times as much room.  See Lamport 1974, "The parallel execution
// of DO loops".
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Wavefront(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
