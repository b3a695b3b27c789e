#include "search/landscapes/recorded_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace coppice::search {
namespace {

Measurement Passed(std::vector<std::string> values, double time_s) {
  return {std::move(values), Verdict::kPassed, time_s};
}

// tile 8, 16, 32 by unroll 1, 2; "precise" does not vary.
std::vector<Measurement> Table() {
  return {Passed({"8", "yes", "1"}, 4.0),
          {{"16", "yes", "1"}, Verdict::kCrashed, 0.0},
          Passed({"32", "yes", "1"}, 2.0),
          Passed({"8", "yes", "2"}, 1.0),
          {{"16", "yes", "2"}, Verdict::kCompileFailed, 0.0}};
}

const std::vector<std::string> kNames = {"tile", "precise", "unroll"};

RecordedSpace Space() { return *RecordedSpace::Make(kNames, Table()); }

std::string RefusalOf(std::vector<Measurement> table) {
  const auto space = RecordedSpace::Make(kNames, table);
  if (space) return "made";
  const std::optional<std::size_t> at = space.error().measurement;
  return (at ? std::to_string(*at) + ": " : "") + space.error().what;
}

TEST(RecordedSpaceTest, OnlyParametersThatVaryAreSearched) {
  const RecordedSpace space = Space();
  ASSERT_EQ(space.parameters().size(), 2u);
  EXPECT_EQ(space.parameters()[0].name, "tile");
  EXPECT_EQ(space.parameters()[0].values,
            (std::vector<std::string>{"8", "16", "32"}));
  EXPECT_EQ(space.parameters()[1].name, "unroll");
  EXPECT_EQ(space.Combinations(), 6u);
}

// The 10 % quantile of times 1, 2 and 4 is 1 + 0.1 * 2 * (2 - 1) = 1.2.
TEST(RecordedSpaceTest, TheRootIsTheTenPercentQuantile) {
  EXPECT_DOUBLE_EQ(Space().root_time_s(), 1.2);
  EXPECT_DOUBLE_EQ(Space().best_log_speedup(), std::log(1.2));
}

// Log speedups 0 (of what failed, and of what is slower than the root), 0, 0, 0
// and log 1.2. k of the 5 drawn have the best among them in k / 5.
TEST(RecordedSpaceTest, RandomSearchFindsTheOneThatIsBestInItsShareOfDraws) {
  const RecordedSpace space = Space();
  EXPECT_EQ(space.ExpectedBest(0), 0.0);
  EXPECT_DOUBLE_EQ(space.ExpectedBest(1), std::log(1.2) / 5.0);
  EXPECT_DOUBLE_EQ(space.ExpectedBest(3), std::log(1.2) * 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(space.ExpectedBest(5), std::log(1.2));
  EXPECT_DOUBLE_EQ(space.ExpectedBest(99), std::log(1.2));
}

// Three that pass in 4, 2 and 1 s, 32 runs each; one that crashes, run once for
// as long as the root, 1.2 s; and 0.2 s of compiling for each of the five.
TEST(RecordedSpaceTest, JudgingAConfigurationTakesSeconds) {
  EXPECT_NEAR(Space().MeanEvaluationSeconds(),
              (32.0 * 7.0 + 1.2 + 5 * 0.2) / 5.0, 1e-12);
}

// 21 configurations in 1 to 21 s: the root is at 3 s, and only 1 and 2 s are
// faster.  Two are drawn: 20 of C(21, 2) = 210 pairs have the first, and 19 the
// second without it.
TEST(RecordedSpaceTest, RandomSearchDrawsWithoutReplacement) {
  std::vector<Measurement> table;
  for (int i = 1; i <= 21; ++i) {
    table.push_back({{std::to_string(i)}, Verdict::kPassed, 1.0 * i});
  }
  const auto space = RecordedSpace::Make({"tile"}, table);
  ASSERT_TRUE(space);
  EXPECT_NEAR(space->ExpectedBest(2),
              (20.0 * std::log(3.0) + 19.0 * std::log(1.5)) / 210.0, 1e-12);
}

// tile is the lowest digit, of base 3: (32, 1) is 2, (8, 2) is 3.
TEST(RecordedSpaceTest, ConfigurationsAreNumbersInMixedRadix) {
  const RecordedSpace space = Space();
  EXPECT_EQ(space.At(2).at_best, Verdict::kPassed);
  EXPECT_DOUBLE_EQ(space.At(2).log_speedup, std::log(1.2 / 2.0));
  EXPECT_DOUBLE_EQ(space.At(3).log_speedup, std::log(1.2));
  EXPECT_EQ(space.At(3).genome, 3u);
  EXPECT_EQ(space.At(1).at_best, Verdict::kCrashed);
}

TEST(RecordedSpaceTest, WhatIsNotRecordedDoesNotCompile) {
  EXPECT_EQ(Space().At(5).at_best, Verdict::kCompileFailed);
  EXPECT_EQ(Space().At(1'000'000).at_best, Verdict::kCompileFailed);
}

TEST(RecordedSpaceTest, MovesGoAroundTheEndOfOneParameter) {
  const RecordedSpace space = Space();
  EXPECT_EQ(space.Move(0, 0, 2), 2u);
  EXPECT_EQ(space.Move(2, 0, 2), 1u);
  EXPECT_EQ(space.Move(2, 1, 1), 5u);
  EXPECT_EQ(space.Move(5, 1, 1), 2u);
}

TEST(RecordedSpaceTest, WhatCannotBeSearchedIsRefused) {
  EXPECT_EQ(RefusalOf({}), "no measurement passed");
  EXPECT_EQ(RefusalOf({{{"8", "yes", "1"}, Verdict::kCrashed, 0.0}}),
            "no measurement passed");
  EXPECT_EQ(RefusalOf({Passed({"8", "yes", "1"}, 1.0)}), "no parameter varies");
  EXPECT_EQ(RefusalOf({Passed({"8", "yes"}, 1.0)}), "0: expected 3 parameters");
  std::vector<Measurement> table = Table();
  table[2].time_s = 0.0;
  EXPECT_EQ(RefusalOf(table), "2: a time must be a positive number");
  table = Table();
  table.push_back(table[3]);
  EXPECT_EQ(RefusalOf(table), "5: a second measurement of this configuration");
}

TEST(RecordedSpaceTest, MoreCombinationsThanNumbersAreRefused) {
  const std::vector<std::string> names(64, "p");
  const std::vector<Measurement> table = {
      Passed(std::vector<std::string>(64, "0"), 1.0),
      Passed(std::vector<std::string>(64, "1"), 1.0)};
  const auto space = RecordedSpace::Make(names, table);
  ASSERT_FALSE(space.has_value());
  EXPECT_EQ(space.error().what, "more than 2^64 combinations");
}

std::shared_ptr<const RecordedSpace> Shared() {
  return std::make_shared<const RecordedSpace>(Space());
}

int DigitsChanged(std::uint64_t a, std::uint64_t b) {
  return (a % 3 != b % 3 ? 1 : 0) + (a / 3 != b / 3 ? 1 : 0);
}

TEST(RecordedTerrainTest, AFirstHopIsAnyCombination) {
  const KeyedDraws draws(4);
  const Position hop = MakeRecorded(Shared())->Draft({}, draws);
  EXPECT_EQ(hop.genome,
            static_cast<std::uint64_t>(draws.Below(3, Draw::kGene, 0) +
                                       3 * draws.Below(2, Draw::kGene, 1)));
}

// 35 % of the edits change two; which may be the same parameter twice.
TEST(RecordedTerrainTest, AnEditChangesOneParameterOrTwo) {
  const auto terrain = MakeRecorded(Shared());
  for (std::uint64_t key = 0; key < 100; ++key) {
    const KeyedDraws draws(key);
    const int changed =
        DigitsChanged(0, terrain->Edit(Space().At(0), {}, draws).genome);
    EXPECT_LE(changed, 2);
    if (draws.Uniform(Draw::kIsDoubleEdit) >= 0.35) {
      EXPECT_EQ(changed, 1);
    }
  }
}

// Configurations are tile + 3 * unroll: 0 to 2 changes the tile, 2 to 5 the
// unrolling, and 0 to 5 both.
TEST(RecordedTerrainTest, APartIsAParameter) {
  const auto terrain = MakeRecorded(Shared());
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return terrain->ChangedPart(Space().At(from), Space().At(to));
  };
  EXPECT_EQ(part(0, 2), 1);
  EXPECT_EQ(part(2, 5), 2);
  EXPECT_EQ(part(0, 5), 1);
  EXPECT_EQ(part(5, 5), 0);
}

// From (8, 1) to (8, 2), the fastest, there is one edit, and no two: blind, a
// share of 0.65 / 2 finds it; informed, 0.65 (1 - 1/4).  Standard errors are
// 16 of 1,000.
TEST(RecordedTerrainTest, AnInformedEditIsTheBetterOfTwo) {
  const auto terrain = MakeRecorded(Shared());
  const auto best = [&](double improves) {
    int found = 0;
    for (std::uint64_t key = 0; key < 1000; ++key) {
      const Position to =
          terrain->Edit(Space().At(0), {.improves = improves}, KeyedDraws(key));
      found += to.genome == 3 ? 1 : 0;
    }
    return found;
  };
  EXPECT_NEAR(best(0.0), 325, 80);
  EXPECT_NEAR(best(1.0), 488, 80);
}

TEST(RecordedTerrainTest, LeavingChangesExactlyOneParameter) {
  const auto terrain = MakeRecorded(Shared());
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(
        DigitsChanged(1, terrain->Leave(Space().At(1), KeyedDraws(key)).genome),
        1);
  }
}

// A team compiles as the paper's does on level 2; without faults hardly any
// attempt fails, and windows tell nothing in either.
TEST(RecordedSpaceTest, FaultsAreThoseOfThePapersTeam) {
  const Parameters raw = ParametersOf(RecordedMode::kRaw);
  const Parameters faulty = ParametersOf(RecordedMode::kFaults);
  EXPECT_EQ(faulty.team.compiles, *PaperRows()[5].compiled);
  EXPECT_EQ(faulty.alone.compiles, faulty.team.compiles);
  EXPECT_GT(raw.team.compiles, 0.99);
  EXPECT_GT(raw.team.is_right, 0.99);
  EXPECT_LT(faulty.team.is_right, 0.8);
  EXPECT_LT(faulty.team.repairs, raw.team.repairs);
  EXPECT_EQ(raw.team.craft.improves, 0.0);
  EXPECT_EQ(faulty.team.craft.improves, 0.5);
  EXPECT_EQ(raw.stubborn, 0.0);
  EXPECT_EQ(faulty.stubborn, 0.25);
  EXPECT_EQ(raw.window_gain, 0.0);
  EXPECT_EQ(faulty.window_gain, 0.0);
}

}  // namespace
}  // namespace coppice::search
