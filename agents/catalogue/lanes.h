// lanes(v, width): whole problems side by side, for loops whose iterations are
// independent and each a recurrence, so that nothing within is: recursive
// filters, dynamic programming, elimination.
//
//   for b { float s = 0; for t { s = f(s, x[b * T + t]); y[b * T + t] = s; } }
// becomes, for strips of `width` iterations of b,
//   for b by 16 { float s[16]; lanes { s[l] = 0; }
//                 for t { lanes { s[l] = f(s[l], x[(b + l) * T + t]); ... } } }
// Scratch arrays get room for all lanes, which lie side by side.  Rows that
// are read more than once are copied so, too; with `staged` all rows are.
// With `bold` it is taken on trust that scratch carries nothing over.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Lanes(const Site& site, const Stmt& loop, const Technique& technique);

// May a loop's iterations go side by side that way, and do they hold what it
// pays for: serial loops, or folds in short loops alone?  `bold` as above.
bool SuitsLanes(const Stmt& loop, const Site& site, bool bold);

}  // namespace coppice::agents::catalogue
