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

Position FirstHop(const Shape& shape, const Craft& craft,
                  const KeyedDraws& draws, Start start) {
  const double z = draws.Normal(DrawKey::kFirstHop);
  const double e = draws.Exponential(DrawKey::kBasin);
  Position position;
  double end = 0.0;
  if (IsConservative(shape, draws)) {
    position.log_speedup = std::min(-0.03 + 0.05 * z, shape.ceiling);
    end = 0.6 * shape.ceiling - 0.5 * shape.gap * e;
  } else {
    position.log_speedup = shape.ceiling - Height(shape, craft, 0.15) *
                                               std::exp(shape.shortfall * z);
    const double hidden = start == Start::kSlowEndsHigh ? std::exp(-z) : 1.0;
    end = shape.ceiling - shape.gap * e * hidden;
  }
  const double left = std::max(0.0, shape.ceiling - position.log_speedup);
  position.ceiling = std::max(end, position.log_speedup + 0.05 * left);
  position.basin_start = position.log_speedup;
  return position;
}

}  // namespace coppice::search
