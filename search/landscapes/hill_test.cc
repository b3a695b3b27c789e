#include <gtest/gtest.h>

#include <cmath>

#include "search/landscapes/terrain_examples.h"

namespace coppice::search {
namespace {

constexpr Position kFrom = {
    .log_speedup = 0.2, .ceiling = 0.8, .progress = 0.5, .basin_start = -0.2};

bool IsBold(const KeyedDraws& draws) {
  return draws.Uniform(DrawKey::kConservative) >= 0.25;
}

// 8 % of the edits restructure, 0.92 * 0.5 = 46 % climb, the rest lose.
KeyedDraws Restructuring() {
  return DrawsWhere(
      [](auto& draws) { return draws.Uniform(DrawKey::kMove) < .08; });
}
KeyedDraws Climbing() {
  return DrawsWhere([](auto& draws) {
    return draws.Uniform(DrawKey::kMove) > .08 &&
           draws.Uniform(DrawKey::kMove) < .54;
  });
}
KeyedDraws Losing() {
  return DrawsWhere(
      [](auto& draws) { return draws.Uniform(DrawKey::kMove) > .54; });
}

// 1 - 2 exp(0.5 z): the median is the craft's -1.
TEST(HillTest, ABoldFirstHopFallsShortOfTheCeiling) {
  const KeyedDraws draws = DrawsWhere(IsBold);
  const Position hop = MakeHill(kShape)->Draft(kCraft, draws);
  const double z = draws.Normal(DrawKey::kFirstHop);
  EXPECT_DOUBLE_EQ(hop.log_speedup, 1.0 - 2.0 * std::exp(0.5 * z));
  EXPECT_EQ(hop.basin_start, hop.log_speedup);
}

TEST(HillTest, AFirstHopsBasinEndsBelowTheCeilingByTheGap) {
  const KeyedDraws draws = DrawsWhere([](auto& candidate) {
    return IsBold(candidate) && candidate.Exponential(DrawKey::kBasin) < 0.5;
  });
  const Position hop = MakeHill(kShape)->Draft(kCraft, draws);
  EXPECT_DOUBLE_EQ(hop.ceiling, 1.0 - 0.4 * draws.Exponential(DrawKey::kBasin));
}

// However far down its basin would end: at 5 % of the way to the ceiling.
TEST(HillTest, ABasinNeverEndsWhereItStarts) {
  const KeyedDraws draws = DrawsWhere([](auto& candidate) {
    return IsBold(candidate) && candidate.Normal(DrawKey::kFirstHop) < -2.0 &&
           candidate.Exponential(DrawKey::kBasin) > 2.5;
  });
  const Position hop = MakeHill(kShape)->Draft(kCraft, draws);
  EXPECT_DOUBLE_EQ(hop.ceiling,
                   hop.log_speedup + 0.05 * (1.0 - hop.log_speedup));
}

TEST(HillTest, AConservativeFirstHopStaysNearTheRoot) {
  const KeyedDraws draws =
      DrawsWhere([](auto& candidate) { return !IsBold(candidate); });
  const Position hop = MakeHill(kShape)->Draft(kCraft, draws);
  EXPECT_DOUBLE_EQ(hop.log_speedup,
                   -0.03 + 0.05 * draws.Normal(DrawKey::kFirstHop));
  // 0.6 * 1 - 0.4 e / 2
  EXPECT_DOUBLE_EQ(hop.ceiling, 0.6 - 0.2 * draws.Exponential(DrawKey::kBasin));
}

// 0.2 + (0.8 - 0.2) u sqrt(v).
TEST(HillTest, AClimbClosesAShareOfWhatIsLeft) {
  const KeyedDraws draws = Climbing();
  const double share = draws.Uniform(DrawKey::kStep) *
                       std::sqrt(draws.Uniform(DrawKey::kStepSkew));
  const Position to = MakeHill(kShape)->Edit(kFrom, kCraft, draws);
  EXPECT_DOUBLE_EQ(to.log_speedup, 0.2 + 0.6 * share);
  EXPECT_EQ(to.ceiling, 0.8);
}

// E[u sqrt(v)] = 1/2 * 2/3 = 1/3.  4,600 climbs have a standard error of 0.6 *
// 0.24 / sqrt(4600) = 0.002.
TEST(HillTest, AClimbClosesAThirdOnAverage) {
  const auto hill = MakeHill(kShape);
  double sum = 0.0;
  int climbs = 0;
  for (std::uint64_t key = 0; key < 10000; ++key) {
    const Position to = hill->Edit(kFrom, kCraft, KeyedDraws(key));
    if (to.log_speedup <= 0.2) continue;
    sum += to.log_speedup - 0.2;
    ++climbs;
  }
  EXPECT_NEAR(climbs, 4600, 250);
  EXPECT_NEAR(sum / climbs, 0.2, 0.01);
}

// By Exponential(0.4 / 2); the way through the basin shrinks to 0.9 of it.
TEST(HillTest, AnEditTheWrongWayLoses) {
  const KeyedDraws draws = Losing();
  const Position to = MakeHill(kShape)->Edit(kFrom, kCraft, draws);
  EXPECT_DOUBLE_EQ(to.log_speedup,
                   0.2 - 0.2 * draws.Exponential(DrawKey::kStep));
  EXPECT_DOUBLE_EQ(to.progress, 0.45);
}

TEST(HillTest, RestructuringPaysForAnotherBasin) {
  const KeyedDraws draws = Restructuring();
  const Position to = MakeHill(kShape)->Edit(kFrom, kCraft, draws);
  EXPECT_DOUBLE_EQ(to.log_speedup,
                   0.2 - 0.25 * draws.Exponential(DrawKey::kStep));
  EXPECT_EQ(to.basin_start, to.log_speedup);
  EXPECT_EQ(to.progress, 0.0);
  EXPECT_LT(to.ceiling, 1.0);
}

// The slower the start (z up), the nearer the end to the ceiling.
TEST(DeceptiveTest, ASlowStartHidesAHighEnd) {
  const KeyedDraws draws = DrawsWhere([](auto& candidate) {
    return IsBold(candidate) && candidate.Normal(DrawKey::kFirstHop) > 1.0;
  });
  const double z = draws.Normal(DrawKey::kFirstHop);
  const Position hop = MakeDeceptive(kShape)->Draft(kCraft, draws);
  EXPECT_DOUBLE_EQ(hop.ceiling, 1.0 - 0.4 * draws.Exponential(DrawKey::kBasin) *
                                          std::exp(-z));
}

// Half way and a share of the other half: -0.2 + (0.8 + 0.2) way^2.5, which is
// -0.02 half way, where this node already has 0.2 by luck.
TEST(DeceptiveTest, TheWayThroughABasinIsConvex) {
  const KeyedDraws draws = Climbing();
  const double share = draws.Uniform(DrawKey::kStep) *
                       std::sqrt(draws.Uniform(DrawKey::kStepSkew));
  const double way = 0.5 + 0.5 * share;
  const Position to = MakeDeceptive(kShape)->Edit(kFrom, kCraft, draws);
  EXPECT_DOUBLE_EQ(to.progress, way);
  EXPECT_DOUBLE_EQ(to.log_speedup,
                   std::max(0.2, -0.2 + 1.0 * std::pow(way, 2.5)));
}

}  // namespace
}  // namespace coppice::search
