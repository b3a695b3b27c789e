// scan(v): a running sum sixteen steps at a time.
//
//   for j { sum += x(j); y(j) = sum; }
// adds within a register by log-steps (Hillis and Steele 1986), so that only
// one addition per strip waits for the strip before.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Scan(const Site& site, const Stmt& loop, const Technique&);

// The carried scalar if the loop is such a scan; empty if not.
std::string ScannedScalar(const Stmt& loop);

}  // namespace coppice::agents::catalogue
