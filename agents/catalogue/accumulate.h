// accumulate(v, width): several accumulators for a fold.
//
//   for k { sum += a(k); }
// becomes `width` partial sums that do not wait for each other, and fill
// vector registers:
//   float part[16]; lanes { part[l] = 0; }
//   for k by 16 { lanes { part[l] += a(k + l); } }
//   sum += part[0] + part[1] + ...;  by halves
// with the last, short strip masked.  The width is a power of 2.  Works for
// sums, products, maxima and minima, several at once, beside independent
// stores.  A third argument `cheap` leaves loops alone that call functions.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Accumulate(const Site& site, const Stmt& loop,
                   const Technique& technique);

}  // namespace coppice::agents::catalogue
