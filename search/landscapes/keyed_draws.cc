#include "search/landscapes/keyed_draws.h"

#include <cmath>

#include "store/records/hash.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

RandomStream StreamOf(std::uint64_t key, DrawKey draw, std::int64_t which) {
  return RandomStream(key, Purpose::kSimulation,
                      std::uint64_t{static_cast<std::uint32_t>(draw)} << 32 |
                          static_cast<std::uint64_t>(which));
}

}  // namespace

double KeyedDraws::Uniform(DrawKey draw, std::int64_t which) const {
  return StreamOf(key_, draw, which).Uniform();
}

double KeyedDraws::Normal(DrawKey draw, std::int64_t which) const {
  return StreamOf(key_, draw, which).Normal();
}

double KeyedDraws::Exponential(DrawKey draw, std::int64_t which) const {
  return -std::log(Uniform(draw, which));
}

int KeyedDraws::Below(int n, DrawKey draw, std::int64_t which) const {
  return static_cast<int>(
      StreamOf(key_, draw, which).Below(static_cast<std::uint64_t>(n)));
}

double KeyedDraws::Gamma(DrawKey draw, double shape, double scale) const {
  return scale * StreamOf(key_, draw, 0).Gamma(shape);
}

std::uint64_t KeyedDraws::ChildKey(std::int64_t earlier) const {
  return StreamOf(key_, DrawKey::kChild, earlier).NextU64();
}

std::uint64_t TaskKey(std::string_view landscape, std::uint64_t seed) {
  return RandomStream(seed, Purpose::kSimulation, Fnv1a(landscape)).NextU64();
}

}  // namespace coppice::search
