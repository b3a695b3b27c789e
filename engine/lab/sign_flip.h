// Whether paired differences are about zero.
#pragma once

#include <span>

#include "store/records/random.h"

namespace coppice::lab {

// The two-sided p-value of the sign-flip permutation test (Fisher 1935, Pitman
// 1937) of their sum: if neither of a pair is better, each difference could as
// well have had the other sign, and p is the share of all sign choices whose
// sum is as far from 0 as the one observed.
//
// Exact for at most 20 differences: all 2^n choices.  Beyond, of 10,000 drawn
// ones, counting the observed one too (Phipson and Smyth 2010), so that p is at
// least 1e-4.  No differences, or none but zeros: 1.
double SignFlipTest(std::span<const double> differences, RandomStream& stream);

}  // namespace coppice::lab
