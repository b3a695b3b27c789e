// Techniques that only say something about a loop, in pragmas.
//
// simd(v)               vector code, with the reductions that the loop holds
// simd(v, bold)         the same without looking for what a loop carries
// parallel(v)           threads, with the reductions that the loop holds, and
//                       scratch arrays for each
// parallel(v, collapse) this loop and the one right within it as one
// parallel(v, bold)     without looking; may race
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Simd(const Site& site, const Stmt& loop, const Technique& technique);
Outcome Parallel(const Site& site, const Stmt& loop,
                 const Technique& technique);

// Are the iterations independent if each thread has scratch arrays of its own?
// With `bold`, it is taken on trust that scratch carries nothing over.
bool RunsOnThreads(const Stmt& loop, const Site& site, bool bold);

// The loop right within, if nothing else is there and its bounds do not
// depend on the outer loop.
const Stmt* PerfectlyNested(const Stmt& loop);

}  // namespace coppice::agents::catalogue
