// Combinations of two candidates on each terrain.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "search/landscapes/recorded_space.h"
#include "search/landscapes/terrain.h"

namespace coppice::search {
namespace {

constexpr Shape kCrossedShape = {
    .ceiling = 1.0, .shortfall = 0.5, .conservative = 0.2, .gap = 0.2};
constexpr Craft kCrossingCraft = {.first_hop = 0.2, .improves = 0.4};

// Basins from 0 to 1 and from 0.4 to 0.8, a half and a quarter of the way
// through: 0.5 and 0.5.  The other two combinations are at 0.25 and 0.6.
TEST(CrossTest, OfAHillTheBasinAndTheShareOfTheWayAreOfEither) {
  const auto hill = MakeHill(kCrossedShape);
  const Position a = {.log_speedup = 0.5, .ceiling = 1.0, .basin_start = 0.0};
  const Position b = {.log_speedup = 0.5, .ceiling = 0.8, .basin_start = 0.4};
  std::set<long> thousandths;
  for (std::uint64_t key = 1; key < 100; ++key) {
    const Position child = hill->Cross(a, b, kCrossingCraft, KeyedDraws(key));
    thousandths.insert(std::lround(1000 * child.log_speedup));
  }
  EXPECT_EQ(thousandths, (std::set<long>{250, 500, 600}));
}

// 0.5^2.5 = 0.177 of the way from 0 to 1, or of that from 0.4 to 0.8.
TEST(CrossTest, ADeceptiveBasinHasItsOwnWay) {
  const auto terrain = MakeDeceptive(kCrossedShape);
  const Position a = {.ceiling = 1.0, .progress = 0.5, .basin_start = 0.0};
  const Position b = {.ceiling = 0.8, .progress = 0.5, .basin_start = 0.4};
  std::set<long> thousandths;
  for (std::uint64_t key = 1; key < 100; ++key) {
    const Position child =
        terrain->Cross(a, b, kCrossingCraft, KeyedDraws(key));
    thousandths.insert(std::lround(1000 * child.log_speedup));
  }
  EXPECT_EQ(thousandths, (std::set<long>{177, 471}));
}

// Where both have a gene, the child has it; where they differ it has either.
TEST(CrossTest, GenesAreOfEither) {
  const auto nk = MakeNk(kCrossedShape, 3);
  const Position a = {.genome = 0x0F0F};
  const Position b = {.genome = 0x00FF};
  std::set<std::uint64_t> genomes;
  for (std::uint64_t key = 1; key < 200; ++key) {
    const auto child = nk->Cross(a, b, kCrossingCraft, KeyedDraws(key)).genome;
    EXPECT_EQ(child & 0xF00F, 0x000Fu);
    for (int gene = 0; gene < 20; ++gene) {
      const auto value = [gene](std::uint64_t of) {
        return of >> 2 * gene & 3;
      };
      EXPECT_TRUE(value(child) == value(a.genome) ||
                  value(child) == value(b.genome));
    }
    genomes.insert(child);
  }
  EXPECT_EQ(genomes.size(), 16u);  // Four genes differ.
}

// Nothing that neither knows, and nothing is lost.
TEST(CrossTest, InsightsOfTheMateAreAddedToOnesOwn) {
  const auto ladder = MakeLadder(kCrossedShape, 5);
  const Position a = {.log_speedup = 0.1, .genome = 0b001};
  const Position b = {.log_speedup = 0.2, .genome = 0b110};
  bool gained = false;
  for (std::uint64_t key = 1; key < 100; ++key) {
    const Position child = ladder->Cross(a, b, kCrossingCraft, KeyedDraws(key));
    EXPECT_EQ(child.genome & 0b001, 0b001u);
    EXPECT_EQ(child.genome & ~std::uint64_t{0b111}, 0u);
    EXPECT_EQ(child.log_speedup > 0.1, child.genome != a.genome);
    gained = gained || child.genome != a.genome;
  }
  EXPECT_TRUE(gained);
}

// Parents at 10 and -10: three quarters of that is left, and a step.
TEST(CrossTest, WhatIsWeaklyInheritedIsOfEither) {
  const auto weak = MakeWeak({.ceiling = 20.0, .shortfall = 0.1, .gap = 0.1});
  int from_mate = 0;
  for (std::uint64_t key = 1; key <= 400; ++key) {
    const Position child =
        weak->Cross({.log_speedup = 10.0}, {.log_speedup = -10.0},
                    kCrossingCraft, KeyedDraws(key));
    from_mate += child.log_speedup < 0.0 ? 1 : 0;
  }
  EXPECT_NEAR(from_mate, 200, 60);  // Standard deviation 10.
}

// a=1 b=2 is not recorded, so it is mended to b of the selected one; and a=2
// b=1 is.
TEST(CrossTest, ParametersAreOfEitherAndTheCombinationIsValid) {
  auto space = RecordedSpace::Make(
      {"a", "b"},
      {{{"1", "1"}, {}, 1.0}, {{"2", "1"}, {}, 2.0}, {{"2", "2"}, {}, 3.0}});
  ASSERT_TRUE(space.has_value());
  const auto shared = std::make_shared<const RecordedSpace>(*space);
  const auto terrain = MakeRecorded(shared);
  const Position from = shared->At(0);  // 1 1
  const Position mate = shared->At(shared->Move(shared->Move(0, 0, 1), 1, 1));
  std::set<std::uint64_t> children;
  for (std::uint64_t key = 1; key < 100; ++key) {
    const Position child =
        terrain->Cross(from, mate, kCrossingCraft, KeyedDraws(key));
    EXPECT_EQ(child.at_best, Verdict::kPassed);
    children.insert(child.genome);
  }
  EXPECT_EQ(children, (std::set<std::uint64_t>{0, 1, 3}));
}

}  // namespace
}  // namespace coppice::search
