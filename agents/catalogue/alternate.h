// alternate(t): a loop over time steps that computes an array from another and
// copies it back lets the two change roles instead.
//
//   for t { for i { next[i] = f(now, i); } for i { now[i] = next[i]; } }
// becomes
//   from = now; to = next;
//   for t { for i { to[i] = f(from, i); } std::swap(from, to); }
//   if (from != now) { for i { now[i] = from[i]; } }
// Elements that no step writes must be alike in both arrays, or there are
// none.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Alternate(const Site& site, const Stmt& time, const Technique&);

}  // namespace coppice::agents::catalogue
