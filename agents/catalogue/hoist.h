// hoist(v): what does not change with v is computed once, before the loop:
// loads and products of invariants, and the reciprocal of what is divided by.
// promote(v): an array element that every iteration reads and writes is kept
// in a scalar while the loop runs.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Hoist(const Site& site, const Stmt& loop, const Technique&);
Outcome Promote(const Site& site, const Stmt& loop, const Technique&);

}  // namespace coppice::agents::catalogue
