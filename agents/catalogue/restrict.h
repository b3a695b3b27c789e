// restrict(): tells the compiler what the tasks promise: buffers are aligned
// to 64 bytes and never overlap.  The span is the function's whole body.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Restrict(const Site& site, const Technique& technique);

}  // namespace coppice::agents::catalogue
