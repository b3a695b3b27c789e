// The rewrite of a root that the calibrated families share.
#pragma once

#include "search/landscapes/terrain.h"

namespace coppice::search {

enum class Start : std::uint8_t {
  kTellsNothing,
  kSlowEndsHigh,  // The slower a basin starts, the closer it gets to the top.
};

// What is left between a first hop and the ceiling; never below `least`.
double Height(const Shape& shape, const Craft& craft, double least);

// Where a basin is entered; it ends there, or at 5 % of what is left above its
// start, at least.
Position EnterBasin(const Shape& shape, double start, double end);

bool IsConservative(const Shape& shape, const KeyedDraws& draws);

// With z ~ N(0, 1) and e ~ Exponential(1):
//   bold          ceiling - Height * exp(shortfall z), whose median is the
//                 agent's first hop; the basin ends at ceiling - gap e
//   conservative  -0.03 + 0.05 z; the basin ends at 0.6 ceiling - gap e / 2
Position FirstHop(const Shape& shape, const Craft& craft,
                  const KeyedDraws& draws, Start start);

}  // namespace coppice::search
