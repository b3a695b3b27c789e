// math(function, variant): calls of the C library in the span become inline
// functions without branches, which the compiler can turn into vector code.
//
// math(exp)          2 ulp; exp, tanh, erf and log are there
// math(exp, rough)   about 12 bits, for tasks that would not notice
// math(tanh, quick)  by one exponential: absolute, not relative accuracy
// math(pow)          small whole powers as products
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome CheaperMath(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
