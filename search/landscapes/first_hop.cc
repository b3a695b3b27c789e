#include "search/landscapes/first_hop.h"

#include <algorithm>
#include <cmath>

namespace coppice::search {

double Height(const Shape& shape, const Craft& craft, double least) {
  return std::max(shape.ceiling - craft.first_hop, least);
}

bool IsConservative(const Shape& shape, const KeyedDraws& draws) {
  return draws.Uniform(DrawKey::kConservative) < shape.conservative;
}

Position EnterBasin(const Shape& shape, double start, double end) {
  const double left = std::max(0.0, shape.ceiling - start);
  Position position;
  position.log_speedup = start;
  position.ceiling = std::max(end, start + 0.05 * left);
  position.basin_start = start;
  return position;
}

Position FirstHop(const Shape& shape, const Craft& craft,
                  const KeyedDraws& draws, Start start) {
  const double z = draws.Normal(DrawKey::kFirstHop);
  const double e = draws.Exponential(DrawKey::kBasin);
  if (IsConservative(shape, draws)) {
    return EnterBasin(shape, std::min(-0.03 + 0.05 * z, shape.ceiling),
                      0.6 * shape.ceiling - 0.5 * shape.gap * e);
  }
  const double below =
      Height(shape, craft, 0.15) * std::exp(shape.shortfall * z);
  const double hidden = start == Start::kSlowEndsHigh ? std::exp(-z) : 1.0;
  return EnterBasin(shape, shape.ceiling - below,
                    shape.ceiling - shape.gap * e * hidden);
}

}  // namespace coppice::search
