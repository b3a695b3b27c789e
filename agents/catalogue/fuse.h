// fuse(v): neighbouring loops over equal ranges, the first over v, become
// one, so that what the first leaves is still at hand for the second.
// fission(v): the other way: each statement of the body gets its own loop.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Fuse(const Site& site, const Technique& technique);
Outcome Fission(const Site& site, const Stmt& loop, const Technique&);

// May the two neighbours become one loop?
bool Fusible(const Stmt& first, const Stmt& second,
             const Definitions& definitions);

}  // namespace coppice::agents::catalogue
