// interior(v): a loop cut in three where its tests of a border are decided.
//
//   for j < W { for q in -2..2 { if (j + q >= 0 && j + q < W) { body } } }
// becomes
//   for j < 2 { as before }
//   for j from 2 up to W - 2 { for q in -2..2 { body } }
//   for j from W - 2 up to W { as before }
// A test compares the variable, plus what the loop does not change, with a
// bound: in an `if`, a choice `a ? b : c`, or a clamp such as
// `c = c < 0 ? 0 : c` or std::max(c, 0).  What is decided by data read in
// front of the loop, as `c - weight[i] >= 0`, is cut there.  The order of
// iterations stays, so no loop has to be independent.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Interior(const Site& site, const Stmt& loop, const Technique&);

}  // namespace coppice::agents::catalogue
