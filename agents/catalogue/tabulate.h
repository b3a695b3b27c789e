// tabulate(v): values in the loop over v that a library computes from loop
// variables alone, such as the sines of a Fourier transform, come from a table
// that is filled once, in front of the nest.
//
//   for b { for k { for n { s += x[b * N + n] * cosf(w * (n * k % N)); } } }
// becomes, with one library call for each remainder,
//   for t { period[t] = cosf(w * t); }
//   for n { for k { table[n * N + k] = period[n * k % N]; } }
//   for b { for k { for n { s += x[b * N + n] * table[n * N + k]; } } }
// Without a remainder the table itself is filled by calls.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Tabulate(const Site& site, const Stmt& loop, const Technique&);

// Does the loop hold such values?
bool Tabulatable(const Stmt& loop, const Site& site);

}  // namespace coppice::agents::catalogue
