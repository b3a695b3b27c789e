#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "search/landscapes/terrain_examples.h"

namespace coppice::search {
namespace {

// A task in which insight 5 needs insight 2, and 7 excludes 6 and 6 excludes 7.
KeyedDraws Task() {
  return DrawsWhere([](auto& task) {
    return task.Uniform(DrawKey::kHasPrerequisite, 5) < 0.6 &&
           task.Below(5, DrawKey::kPrerequisite, 5) == 2 &&
           task.Uniform(DrawKey::kHasConflict, 5 / 2) >= 0.4 &&
           task.Uniform(DrawKey::kHasConflict, 7 / 2) < 0.4 &&
           task.Uniform(DrawKey::kHasPrerequisite, 7) >= 0.6;
  });
}

std::uint64_t TaskKeyOf() {
  // DrawsWhere takes the lowest key; so does this.
  const double ease = Task().Uniform(DrawKey::kEase);
  std::uint64_t key = 1;
  while (KeyedDraws(key).Uniform(DrawKey::kEase) != ease) ++key;
  return key;
}

// Draws of an edit that tries this insight, by luck that always suffices, or
// never.
KeyedDraws Trying(int insight, bool lucky) {
  return DrawsWhere([=](auto& draws) {
    const double luck = draws.Uniform(DrawKey::kWhat);
    return draws.Below(12, DrawKey::kWhere) == insight &&
           (lucky ? luck < 0.01 : luck > 0.98) &&
           draws.Uniform(DrawKey::kMove) < 0.6;
  });
}

Position Knowing(std::uint64_t insights) { return {.genome = insights}; }

// Height 2, gain 2 * Exponential / 7.
TEST(LadderTest, AnOpenInsightIsGainedOnce) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  const double gain = 2.0 * Task().Exponential(DrawKey::kInsightGain, 5) / 7.0;
  const Position to = ladder->Edit(Knowing(0b100), kCraft, Trying(5, true));
  EXPECT_EQ(to.genome, 0b100100u);
  EXPECT_NEAR(to.log_speedup, gain, 1e-12);
  EXPECT_EQ(ladder->Edit(to, kCraft, Trying(5, true)).genome, 0b100100u);
}

// Losing Exponential(0.4 * 0.4).
TEST(LadderTest, WithoutItsPrerequisiteAnInsightFailsAndCosts) {
  const KeyedDraws draws = Trying(5, true);
  const Position to =
      MakeLadder(kShape, TaskKeyOf())->Edit(Knowing(0), kCraft, draws);
  EXPECT_EQ(to.genome, 0u);
  EXPECT_NEAR(to.log_speedup, -0.16 * draws.Exponential(DrawKey::kStep), 1e-12);
}

TEST(LadderTest, NeighboursMayExcludeEachOther) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  const std::uint64_t six = 1u << 6;
  EXPECT_EQ(ladder->Edit(Knowing(six), kCraft, Trying(7, true)).genome, six);
  EXPECT_EQ(ladder->Edit(Knowing(0), kCraft, Trying(7, true)).genome, 1u << 7);
}

// The chance is at most 0.98, whatever the craft.
TEST(LadderTest, BadLuckGainsNothing) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  const Craft best = {.first_hop = -1.0, .improves = 1.0};
  EXPECT_EQ(ladder->Edit(Knowing(0b100), best, Trying(5, false)).genome,
            0b100u);
}

// 0.08 * 12 = 0.96 insights; standard error sqrt(12 * 0.08 * 0.92 / 4000) =
// 0.015.
TEST(LadderTest, FirstHopsKnowAnInsightOnAverage) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  int known = 0;
  for (std::uint64_t key = 0; key < 4000; ++key) {
    known += std::popcount(ladder->Draft(kCraft, KeyedDraws(key)).genome);
  }
  EXPECT_NEAR(known / 4000.0, 0.96, 0.075);
}

TEST(LadderTest, TheFirstInsightThatDiffersIsThePartThatChanged) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return ladder->ChangedPart(Knowing(from), Knowing(to));
  };
  EXPECT_EQ(part(0b101, 0b101), 0);
  EXPECT_EQ(part(0b101, 0b100), 1);
  EXPECT_EQ(part(0b100, 0b110), 2);
  EXPECT_EQ(part(0, 1u << 11), 12);
  EXPECT_EQ(part(0, 1u << 12), 0);  // There is no thirteenth.
}

// Insight 5 needs insight 2; of a mate that knows both, 5 may come only with 2,
// which is looked at before it.
TEST(LadderTest, WhatIsTakenOfAMateIsOpenToo) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  int both = 0;
  for (std::uint64_t key = 1; key < 200; ++key) {
    const std::uint64_t known =
        ladder->Cross(Knowing(0), Knowing(0b100100), kCraft, KeyedDraws(key))
            .genome;
    const bool has_five = (known & 0b100000) != 0;
    EXPECT_TRUE(!has_five || (known & 0b100) != 0) << key;
    both += has_five ? 1 : 0;
  }
  EXPECT_GT(both, 20);  // A quarter of 199.
  EXPECT_LT(both, 90);
}

TEST(LadderTest, OfExcludingNeighboursAMateGivesNoSecond) {
  const auto ladder = MakeLadder(kShape, TaskKeyOf());
  for (std::uint64_t key = 1; key < 100; ++key) {
    EXPECT_EQ(
        ladder
            ->Cross(Knowing(1u << 6), Knowing(1u << 7), kCraft, KeyedDraws(key))
            .genome,
        1u << 6);
  }
}

}  // namespace
}  // namespace coppice::search
