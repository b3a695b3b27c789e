#include <algorithm>
#include <cmath>

#include "search/landscapes/first_hop.h"

namespace coppice::search {
namespace {

constexpr double kDrift = 0.5;            // Of the gap.
constexpr double kBelowTheCeiling = 0.1;  // Of the gap.

class Weak final : public Terrain {
 public:
  explicit Weak(const Shape& shape) : shape_(shape) {}

  Position Draft(const Craft& craft, const KeyedDraws& draws) const override {
    return FirstHop(shape_, craft, draws, Start::kTellsNothing);
  }

  Position Edit(const Position& from, const Craft& craft,
                const KeyedDraws& draws) const override {
    Position to = from;
    to.log_speedup = craft.first_hop +
                     shape_.inherited * (from.log_speedup - craft.first_hop) +
                     shape_.step * shape_.shortfall * HeavyTailed(draws) *
                         Height(shape_, craft, 0.15) +
                     (craft.improves - kNeutralCraft) * kDrift * shape_.gap;
    if (to.log_speedup > shape_.ceiling) {
      to.log_speedup = shape_.ceiling - kBelowTheCeiling * shape_.gap *
                                            draws.Exponential(DrawKey::kBasin);
    }
    return to;
  }

  Position Cross(const Position& from, const Position& mate, const Craft& craft,
                 const KeyedDraws& draws) const override {
    const bool its = draws.Uniform(DrawKey::kFromMate) < 0.5;
    return Edit(its ? mate : from, craft, draws);
  }

 private:
  // Student's t with 4 degrees of freedom: chi^2 of 4 is twice the sum of two
  // exponentials.  Its divisor is cut off at 0.05.
  static double HeavyTailed(const KeyedDraws& draws) {
    const double mean_square = (draws.Exponential(DrawKey::kTail, 0) +
                                draws.Exponential(DrawKey::kTail, 1)) /
                               2.0;
    return draws.Normal(DrawKey::kStep) /
           std::sqrt(std::max(mean_square, 0.05));
  }

  const Shape shape_;
};

}  // namespace

std::unique_ptr<Terrain> MakeWeak(const Shape& shape) {
  return std::make_unique<Weak>(shape);
}

}  // namespace coppice::search
