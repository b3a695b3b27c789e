#include <algorithm>
#include <cmath>

#include "search/landscapes/first_hop.h"

namespace coppice::search {
namespace {

constexpr double kRestructures = 0.08;
constexpr double kRestructuringLoss = 0.25;
constexpr double kConvexity = 2.5;
constexpr double kProgressKept = 0.9;  // By an edit that goes the wrong way.

// The share of what is left that an edit closes: uniform times the root of
// another uniform, 1/3 on average.
double ShareClosed(const KeyedDraws& draws) {
  return draws.Uniform(DrawKey::kStep) *
         std::sqrt(draws.Uniform(DrawKey::kStepSkew));
}

class Basins : public Terrain {
 public:
  Basins(const Shape& shape, Start start) : shape_(shape), start_(start) {}

  Position Draft(const Craft& craft, const KeyedDraws& draws) const override {
    return FirstHop(shape_, craft, draws, start_);
  }

  Position Edit(const Position& from, const Craft& craft,
                const KeyedDraws& draws) const override {
    const double move = draws.Uniform(DrawKey::kMove);
    if (move < kRestructures) return Restructure(from, draws);
    if (move < kRestructures + (1.0 - kRestructures) * craft.improves) {
      return Climb(from, ShareClosed(draws));
    }
    Position to = from;
    to.log_speedup -= 0.5 * shape_.gap * draws.Exponential(DrawKey::kStep);
    to.progress *= kProgressKept;
    return to;
  }

  Position Cross(const Position& from, const Position& mate, const Craft&,
                 const KeyedDraws& draws) const override {
    const bool its_basin = draws.Uniform(DrawKey::kFromMate, 0) < 0.5;
    const bool its_share = draws.Uniform(DrawKey::kFromMate, 1) < 0.5;
    const Position& basin = its_basin ? mate : from;
    Position to;
    to.ceiling = basin.ceiling;
    to.basin_start = basin.basin_start;
    return Place(to, ShareOfWay(its_share ? mate : from));
  }

 private:
  virtual Position Climb(const Position& from, double share) const = 0;

  // How far through its basin, [0, 1]; and there in another one.
  virtual double ShareOfWay(const Position& at) const = 0;
  virtual Position Place(const Position& in, double share) const = 0;

  Position Restructure(const Position& from, const KeyedDraws& draws) const {
    const double loss = kRestructuringLoss * draws.Exponential(DrawKey::kStep);
    const double gap = shape_.gap * draws.Exponential(DrawKey::kBasin);
    return EnterBasin(shape_, from.log_speedup - loss, shape_.ceiling - gap);
  }

  const Shape shape_;
  const Start start_;
};

class Hill final : public Basins {
 public:
  explicit Hill(const Shape& shape) : Basins(shape, Start::kTellsNothing) {}

 private:
  Position Climb(const Position& from, double share) const override {
    Position to = from;
    to.log_speedup += (from.ceiling - from.log_speedup) * share;
    return to;
  }

  double ShareOfWay(const Position& at) const override {
    const double way = at.ceiling - at.basin_start;
    if (way <= 0.0) return 0.0;
    return std::clamp((at.log_speedup - at.basin_start) / way, 0.0, 1.0);
  }

  Position Place(const Position& in, double share) const override {
    Position to = in;
    to.log_speedup = std::lerp(in.basin_start, in.ceiling, share);
    return to;
  }
};

class Deceptive final : public Basins {
 public:
  explicit Deceptive(const Shape& shape)
      : Basins(shape, Start::kSlowEndsHigh) {}

 private:
  Position Climb(const Position& from, double share) const override {
    Position to = from;
    to.progress += (1.0 - from.progress) * share;
    to.log_speedup = std::max(from.log_speedup, Reached(to));
    return to;
  }

  double ShareOfWay(const Position& at) const override { return at.progress; }

  Position Place(const Position& in, double share) const override {
    Position to = in;
    to.progress = share;
    to.log_speedup = Reached(to);
    return to;
  }

  static double Reached(const Position& at) {
    return at.basin_start +
           (at.ceiling - at.basin_start) * std::pow(at.progress, kConvexity);
  }
};

}  // namespace

std::unique_ptr<Terrain> MakeHill(const Shape& shape) {
  return std::make_unique<Hill>(shape);
}

std::unique_ptr<Terrain> MakeDeceptive(const Shape& shape) {
  return std::make_unique<Deceptive>(shape);
}

}  // namespace coppice::search
