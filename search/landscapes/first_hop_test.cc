#include "search/landscapes/first_hop.h"

#include <gtest/gtest.h>

#include "search/landscapes/terrain_examples.h"

namespace coppice::search {
namespace {

// The ceiling of kShape is 1.
TEST(FirstHopTest, ABasinEndsWhereItShallOrALittleAboveItsStart) {
  struct Case {
    double start, end, ceiling;
  };
  for (const auto& [start, end, ceiling] : {
           Case{0.2, 0.8, 0.8},
           Case{0.2, 0.1, 0.24},  // 0.2 + 0.05 * 0.8.
           Case{-1.0, -3.0, -0.9},
           Case{0.2, 1.5, 1.5},
           // Nothing is left above the ceiling.
           Case{1.2, 0.9, 1.2},
       }) {
    const Position entered = EnterBasin(kShape, start, end);
    EXPECT_EQ(entered.log_speedup, start);
    EXPECT_EQ(entered.basin_start, start);
    EXPECT_DOUBLE_EQ(entered.ceiling, ceiling) << start << " to " << end;
    EXPECT_EQ(entered.progress, 0.0);
    EXPECT_EQ(entered.at_best, Verdict::kPassed);
  }
}

TEST(FirstHopTest, AHeightIsWhatIsLeftAboveACraft) {
  Craft craft = kCraft;
  EXPECT_DOUBLE_EQ(Height(kShape, craft, 0.2), 2.0);
  craft.first_hop = 0.9;
  EXPECT_DOUBLE_EQ(Height(kShape, craft, 0.2), 0.2);
  craft.first_hop = 3.0;
  EXPECT_DOUBLE_EQ(Height(kShape, craft, 0.15), 0.15);
}

// A share of 0.25; of 2,000 that is 500, give or take 19.
TEST(FirstHopTest, TheShapeSaysHowManyAreConservative) {
  int conservative = 0;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    conservative += IsConservative(kShape, KeyedDraws(key)) ? 1 : 0;
  }
  EXPECT_NEAR(conservative, 500, 100);
}

// Where basins tell nothing, a slow start has the end of any other.
TEST(FirstHopTest, OnlySlowStartsOfOneKindEndHigh) {
  const KeyedDraws draws = DrawsWhere([](auto& candidate) {
    return candidate.Uniform(DrawKey::kConservative) >= 0.25 &&
           candidate.Normal(DrawKey::kFirstHop) > 1.0 &&
           candidate.Exponential(DrawKey::kBasin) > 0.5;
  });
  const Position plain = FirstHop(kShape, kCraft, draws, Start::kTellsNothing);
  const Position hidden = FirstHop(kShape, kCraft, draws, Start::kSlowEndsHigh);
  EXPECT_EQ(plain.log_speedup, hidden.log_speedup);
  EXPECT_LT(plain.ceiling, hidden.ceiling);
}

// A conservative rewrite of a task without room stays at its ceiling.
TEST(FirstHopTest, NothingConservativePassesTheCeiling) {
  Shape low = kShape;
  low.ceiling = -0.5;
  low.conservative = 1.0;
  const Position hop =
      FirstHop(low, kCraft, KeyedDraws(1), Start::kTellsNothing);
  EXPECT_EQ(hop.log_speedup, -0.5);
  EXPECT_LE(hop.ceiling, -0.3 + 1e-12);  // 0.6 * -0.5.
}

}  // namespace
}  // namespace coppice::search
