// privatize(v, copies): a histogram into several tables, so that neighbouring
// iterations never wait for one counter; the tables are added at the end.
//
//   for i { counts[e & 255] += 1; }
// The size of the table comes from the subscript: `& 255`, `% 10`.  With
// `threads` as a third argument each thread has tables of its own.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Privatize(const Site& site, const Stmt& loop,
                  const Technique& technique);

// Does the loop count into a table of known size?
bool CountsIntoTable(const Stmt& loop);

}  // namespace coppice::agents::catalogue
