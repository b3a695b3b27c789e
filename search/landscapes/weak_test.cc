#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "search/landscapes/terrain_examples.h"

namespace coppice::search {
namespace {

constexpr Position kHere = {.log_speedup = 0.2};

double Step(const KeyedDraws& draws) {
  const double mean_square = (draws.Exponential(DrawKey::kTail, 0) +
                              draws.Exponential(DrawKey::kTail, 1)) /
                             2.0;
  return draws.Normal(DrawKey::kStep) / std::sqrt(std::max(mean_square, 0.05));
}

// -1 + 0.75 * 1.2 = -0.1; steps are 0.35 * 0.5 * 2 = 0.35 t wide, and a craft
// of 0.5 drifts by 0.2 * 0.5 * 0.4 = 0.04 upwards.
TEST(WeakTest, AnEditInheritsThreeQuartersAndDrifts) {
  const KeyedDraws draws =
      DrawsWhere([](auto& candidate) { return Step(candidate) < 2.0; });
  EXPECT_NEAR(MakeWeak(kShape)->Edit(kHere, kCraft, draws).log_speedup,
              -0.1 + 0.35 * Step(draws) + 0.04, 1e-12);
}

// -1 + 0.4 * 1.2 = -0.52; steps are 0.1 * 0.5 * 2 wide.
TEST(WeakTest, AShapeSaysWhatIsInheritedAndHowFarStepsGo) {
  Shape shape = kShape;
  shape.inherited = 0.4;
  shape.step = 0.1;
  const KeyedDraws draws =
      DrawsWhere([](auto& candidate) { return Step(candidate) < 2.0; });
  EXPECT_NEAR(MakeWeak(shape)->Edit(kHere, kCraft, draws).log_speedup,
              -0.52 + 0.1 * Step(draws) + 0.04, 1e-12);
}

// -0.06 + 0.35 t > 1 for t > 3.03.
TEST(WeakTest, WhatWouldPassTheCeilingEndsBelowIt) {
  const KeyedDraws draws =
      DrawsWhere([](auto& candidate) { return Step(candidate) > 3.1; });
  EXPECT_NEAR(MakeWeak(kShape)->Edit(kHere, kCraft, draws).log_speedup,
              1.0 - 0.04 * draws.Exponential(DrawKey::kBasin), 1e-12);
}

// A mate's lead is inherited in the place of one's own.
TEST(WeakTest, ACrossingIsAnEditOfEitherParent) {
  constexpr Position kMate = {.log_speedup = 0.6};
  const auto weak = MakeWeak(kShape);
  for (const bool its : {true, false}) {
    const KeyedDraws draws = DrawsWhere([&](auto& candidate) {
      return (candidate.Uniform(DrawKey::kFromMate) < 0.5) == its;
    });
    EXPECT_EQ(weak->Cross(kHere, kMate, kCraft, draws),
              weak->Edit(its ? kMate : kHere, kCraft, draws));
  }
}

// Steps of 0.35 * 0.5 times the height, which is at least 0.15.
TEST(WeakTest, WhoStartsAtTheCeilingStillSteps) {
  const Craft high = {.first_hop = 1.0, .improves = kNeutralCraft};
  const KeyedDraws draws =
      DrawsWhere([](auto& candidate) { return Step(candidate) < 0.0; });
  EXPECT_NEAR(MakeWeak(kShape)->Edit(kHere, high, draws).log_speedup,
              1.0 - 0.75 * 0.8 + 0.35 * 0.5 * 0.15 * Step(draws), 1e-12);
}

}  // namespace
}  // namespace coppice::search
