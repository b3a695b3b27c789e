// unroll(v): a short loop of known length is written out.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Unroll(const Site& site, const Stmt& loop, const Technique&);

// Number of iterations if known; sizes that are constexpr count.
std::optional<std::int64_t> KnownTrips(const Stmt& loop,
                                       const Constants& constants);

}  // namespace coppice::agents::catalogue
