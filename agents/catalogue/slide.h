// slide(k): folds over a window that moves by one with the loop around it.
//
//   for i { float s = 0; for k < K { s += x[i + k]; } y[i] = s / K; }
// folds windows of 1, 2, 4, ... elements out of each other, a thousand places
// at a time, and joins those that K is the sum of: some 2 log2(K) steps for a
// place, each of which is vector code, instead of K.  Nothing is subtracted
// again, so that no element leaves its rounding behind, an infinity none of
// its kind, and a maximum can be had like a sum.  Sums of floats are rounded
// in another order, with fewer steps.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Slide(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
