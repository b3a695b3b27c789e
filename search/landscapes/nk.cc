#include <array>
#include <cmath>
#include <cstddef>

#include "search/landscapes/first_hop.h"

namespace coppice::search {
namespace {

constexpr int kGenes = 20;
constexpr int kValues = 4;     // Of a gene: two bits.
constexpr int kContexts = 64;  // Of a gene, its neighbour and one further on.
constexpr int kFurtherOn = 5;

constexpr double kConservativeOffset = -0.05;
constexpr double kOffsetLoss = 0.25;  // Of height and shortfall.
constexpr double kSpread = 3.0;       // Standard deviations in the height.
constexpr double kIsDouble = 0.3;
constexpr double kEditLoses = 0.3;
constexpr double kEditLoss = 0.3;  // Of the gap.

unsigned Value(std::uint64_t genome, int gene) {
  return static_cast<unsigned>(genome >> (2 * gene)) & 3U;
}

std::uint64_t With(std::uint64_t genome, int gene, unsigned value) {
  return (genome & ~(std::uint64_t{3} << (2 * gene))) | std::uint64_t{value}
                                                            << (2 * gene);
}

class Nk final : public Terrain {
 public:
  Nk(const Shape& shape, std::uint64_t task_key) : shape_(shape) {
    const KeyedDraws draws(task_key);
    for (int entry = 0; entry < kGenes * kContexts; ++entry) {
      const auto gene = static_cast<std::size_t>(entry / kContexts);
      const auto context = static_cast<std::size_t>(entry % kContexts);
      // Mean 0 and variance 1.
      values_[gene][context] =
          (draws.Uniform(DrawKey::kGeneValues, entry) - 0.5) * std::sqrt(12.0);
    }
  }

  Position Draft(const Craft& craft, const KeyedDraws& draws) const override {
    Position to;
    for (int gene = 0; gene < kGenes; ++gene) {
      const int value = draws.Below(kValues, DrawKey::kGene, gene);
      to.genome = With(to.genome, gene, static_cast<unsigned>(value));
    }
    const double height = Height(shape_, craft, 0.2);
    to.basin_start =
        IsConservative(shape_, draws) ? kConservativeOffset : craft.first_hop;
    to.basin_start -= kOffsetLoss * shape_.shortfall *
                      draws.Exponential(DrawKey::kStep) * height;
    to.log_speedup = to.basin_start + height * Fitness(to.genome) / kSpread;
    return to;
  }

  Position Edit(const Position& from, const Craft& craft,
                const KeyedDraws& draws) const override {
    int tries = 1;
    for (int extra = 0; extra < 3; ++extra) {
      if (draws.Uniform(DrawKey::kTries, extra) < craft.improves) ++tries;
    }
    Position to = from;
    double best = 0.0;
    for (int attempt = 0; attempt < tries; ++attempt) {
      const std::uint64_t genome = Mutate(from.genome, attempt, draws);
      const double fitness = Fitness(genome);
      if (attempt > 0 && fitness <= best) continue;
      best = fitness;
      to.genome = genome;
    }
    to.log_speedup = Written(from.basin_start, best, craft, draws);
    return to;
  }

  Position Cross(const Position& from, const Position& mate, const Craft& craft,
                 const KeyedDraws& draws) const override {
    Position to = from;
    for (int gene = 0; gene < kGenes; ++gene) {
      if (draws.Uniform(DrawKey::kFromMate, gene) >= 0.5) continue;
      to.genome = With(to.genome, gene, Value(mate.genome, gene));
    }
    to.log_speedup =
        Written(from.basin_start, Fitness(to.genome), craft, draws);
    return to;
  }

  int ChangedPart(const Position& from, const Position& to) const override {
    for (int gene = 0; gene < kGenes; ++gene) {
      if (Value(from.genome, gene) != Value(to.genome, gene)) return gene + 1;
    }
    return 0;
  }

 private:
  // What a change to genes of this fitness comes to.
  double Written(double offset, double fitness, const Craft& craft,
                 const KeyedDraws& draws) const {
    const double loss = draws.Uniform(DrawKey::kMove) < kEditLoses
                            ? draws.Exponential(DrawKey::kStep)
                            : 0.0;
    return offset + Height(shape_, craft, 0.2) * fitness / kSpread -
           kEditLoss * shape_.gap * loss;
  }

  static std::uint64_t Mutate(std::uint64_t genome, int attempt,
                              const KeyedDraws& draws) {
    const int edits =
        draws.Uniform(DrawKey::kIsDoubleEdit, attempt) < kIsDouble ? 2 : 1;
    for (int edit = 0; edit < edits; ++edit) {
      const int which = 2 * attempt + edit;
      const int gene = draws.Below(kGenes, DrawKey::kWhere, which);
      const int shift = 1 + draws.Below(kValues - 1, DrawKey::kWhat, which);
      const unsigned value =
          (Value(genome, gene) + static_cast<unsigned>(shift)) % kValues;
      genome = With(genome, gene, value);
    }
    return genome;
  }

  double Fitness(std::uint64_t genome) const {
    double sum = 0.0;
    for (int gene = 0; gene < kGenes; ++gene) {
      const unsigned context = Value(genome, gene) * 16 +
                               Value(genome, (gene + 1) % kGenes) * 4 +
                               Value(genome, (gene + kFurtherOn) % kGenes);
      sum += values_[static_cast<std::size_t>(gene)][context];
    }
    return sum / std::sqrt(kGenes);
  }

  const Shape shape_;
  std::array<std::array<double, kContexts>, kGenes> values_;
};

}  // namespace

std::unique_ptr<Terrain> MakeNk(const Shape& shape, std::uint64_t task_key) {
  return std::make_unique<Nk>(shape, task_key);
}

}  // namespace coppice::search
