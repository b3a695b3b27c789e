// popcount(b): a loop that adds up the bits of a word of 32 or 64 one by one
// becomes the instruction that counts them.
//
//   for b < 32 { count += (bits >> b) & 1; }
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Popcount(const Site& site, const Stmt& loop, const Technique&);

// Is it such a loop?
bool CountsBits(const Stmt& loop, const Kernel& kernel);

}  // namespace coppice::agents::catalogue
