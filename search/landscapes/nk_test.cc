#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "search/landscapes/terrain_examples.h"

namespace coppice::search {
namespace {

constexpr Craft kBlind = {.first_hop = -1.0, .improves = 0.0};
constexpr Craft kAllKnowing = {.first_hop = -1.0, .improves = 1.0};
constexpr std::uint64_t kTask = 3;

// By its definition: gene, the next one and the fifth one on, around the end,
// choose among 64 values of mean 0 and variance 1.
double FitnessOf(std::uint64_t genome) {
  const auto value = [&](int gene) {
    return static_cast<int>(genome >> (2 * (gene % 20)) & 3);
  };
  double sum = 0.0;
  for (int gene = 0; gene < 20; ++gene) {
    const int entry =
        gene * 64 + value(gene) * 16 + value(gene + 1) * 4 + value(gene + 5);
    sum += (KeyedDraws(kTask).Uniform(DrawKey::kGeneValues, entry) - 0.5) *
           std::sqrt(12.0);
  }
  return sum / std::sqrt(20.0);
}

int GenesChanged(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t bits = a ^ b;
  return std::popcount((bits | bits >> 1) & 0x5555555555555555);
}

bool LosesNothing(const KeyedDraws& draws) {
  return draws.Uniform(DrawKey::kMove) >= 0.3;
}

// Height is 1 - -1 = 2: offset -1 - 0.25 * 0.5 * 2 e, and 2/3 of the fitness.
TEST(NkTest, AFirstHopHasRandomGenesAndAnOffset) {
  const KeyedDraws draws = DrawsWhere([](auto& candidate) {
    return candidate.Uniform(DrawKey::kConservative) >= 0.25;
  });
  const Position hop = MakeNk(kShape, kTask)->Draft(kBlind, draws);
  EXPECT_DOUBLE_EQ(hop.basin_start,
                   -1.0 - 0.25 * draws.Exponential(DrawKey::kStep));
  EXPECT_NEAR(hop.log_speedup,
              hop.basin_start + 2.0 * FitnessOf(hop.genome) / 3.0, 1e-12);
}

TEST(NkTest, ABlindEditChangesOneGeneOrTwo) {
  const auto nk = MakeNk(kShape, kTask);
  const Position from = {.basin_start = -1.0, .genome = 0x1234567890};
  for (std::uint64_t key = 0; key < 200; ++key) {
    const KeyedDraws draws(key);
    const Position to = nk->Edit(from, kBlind, draws);
    // Two edits may meet in one gene, and undo each other.
    const bool is_double = draws.Uniform(DrawKey::kIsDoubleEdit) < 0.3;
    EXPECT_LE(GenesChanged(from.genome, to.genome), is_double ? 2 : 1);
    if (!is_double) {
      EXPECT_EQ(GenesChanged(from.genome, to.genome), 1);
    }
  }
}

TEST(NkTest, AnEditIsWorthItsGenesAndKeepsTheOffset) {
  const Position from = {.basin_start = -1.0, .genome = 0x1234567890};
  const Position to =
      MakeNk(kShape, kTask)->Edit(from, kBlind, DrawsWhere(LosesNothing));
  EXPECT_EQ(to.basin_start, -1.0);
  EXPECT_NEAR(to.log_speedup, -1.0 + 2.0 * FitnessOf(to.genome) / 3.0, 1e-12);
}

// 0.3 of the edits lose Exponential(0.3 * 0.4).
TEST(NkTest, SomeEditsCostMoreThanTheirGenes) {
  const KeyedDraws draws = DrawsWhere(
      [](auto& candidate) { return candidate.Uniform(DrawKey::kMove) < 0.3; });
  const Position from = {.basin_start = -1.0, .genome = 0x1234567890};
  const Position to = MakeNk(kShape, kTask)->Edit(from, kBlind, draws);
  EXPECT_NEAR(to.log_speedup,
              -1.0 + 2.0 * FitnessOf(to.genome) / 3.0 -
                  0.12 * draws.Exponential(DrawKey::kStep),
              1e-12);
}

// The best of four; the blind one's is among them.
TEST(NkTest, CraftChoosesTheBetterEdit) {
  const auto nk = MakeNk(kShape, kTask);
  const Position from = {.basin_start = -1.0, .genome = 0x1234567890};
  int better = 0;
  for (std::uint64_t key = 0; key < 100; ++key) {
    const double known =
        nk->Edit(from, kAllKnowing, KeyedDraws(key)).log_speedup;
    const double blind = nk->Edit(from, kBlind, KeyedDraws(key)).log_speedup;
    EXPECT_GE(known, blind);
    better += known > blind ? 1 : 0;
  }
  EXPECT_NEAR(better, 75, 22);
}

// Gene 1 are the lowest two bits.
TEST(NkTest, TheFirstGeneThatDiffersIsThePartThatChanged) {
  const auto nk = MakeNk(kShape, kTask);
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return nk->ChangedPart({.genome = from}, {.genome = to});
  };
  EXPECT_EQ(part(5, 5), 0);
  EXPECT_EQ(part(0, 1), 1);
  EXPECT_EQ(part(0, 2), 1);
  EXPECT_EQ(part(0, 4), 2);
  EXPECT_EQ(part(0b1100, 0b0111), 1);
  EXPECT_EQ(part(0, std::uint64_t{1} << 39), 20);
  EXPECT_EQ(part(0, std::uint64_t{1} << 40), 0);  // There is no gene 21.
}

// At 39 bits of 40 nothing is left over, and no move makes more.
TEST(NkTest, NoMoveLeavesTheGenome) {
  const auto nk = MakeNk(kShape, kTask);
  constexpr std::uint64_t kAll = (std::uint64_t{1} << 40) - 1;
  Position at = nk->Draft(kAllKnowing, KeyedDraws(1));
  for (std::uint64_t key = 0; key < 300; ++key) {
    const Position other = nk->Draft(kBlind, KeyedDraws(key));
    EXPECT_EQ(other.genome & ~kAll, 0u);
    at = nk->Edit(at, kAllKnowing, KeyedDraws(key));
    EXPECT_EQ(at.genome & ~kAll, 0u);
    at = nk->Cross(at, other, kBlind, KeyedDraws(key));
    EXPECT_EQ(at.genome & ~kAll, 0u);
  }
}

}  // namespace
}  // namespace coppice::search
