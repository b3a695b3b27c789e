#include "search/landscapes/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "search/landscapes/task_law.h"

namespace coppice::search {
namespace {

// A team that compiles always, is right half of the time, and repairs 0.4 of
// its bugs; tasks do not differ, but by their ceilings and by N(0, 0.5^2)
// logits of compiling, which do not matter here.
Parameters Plain() {
  Parameters parameters;
  parameters.alone = {.compiles = 1.0 - 1e-12,
                      .is_right = 0.5,
                      .repairs = 0.4,
                      .craft = {.first_hop = -0.5, .improves = 0.3}};
  parameters.team = parameters.alone;
  parameters.shortfall = 0.3;
  parameters.gap = 0.3;
  parameters.window_gain = 0.5;
  return parameters;
}

Simulation Task(const Parameters& parameters) {
  return Simulation(Family::kHill, CeilingsOf(2), parameters, 11);
}

Point Passing(std::int64_t depth) {
  Point point;
  point.key = 99;
  point.depth = depth;
  return point;
}

Point Failing() {
  Point point = Passing(2);
  point.verdict = Verdict::kWrongOutput;
  return point;
}

// The share of 4,000 attempts on this parent that pass; standard error 0.008.
double Share(const Simulation& task, const Point& parent, Workforce workforce,
             const Relatives& relatives = {}) {
  int passed = 0;
  for (int earlier = 0; earlier < 4000; ++earlier) {
    const Point child = task.Attempt(parent, earlier, workforce, relatives);
    passed += child.verdict == Verdict::kPassed ? 1 : 0;
  }
  return passed / 4000.0;
}

constexpr double kBand = 0.04;  // Five standard errors.

double Logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The mean of a hint less what the repair is worth is what a false one adds:
// its share of an exponential's mean.  Some 2,000 have a standard error of
// sqrt(sd^2 + 2 share mean^2 - (share mean)^2) / 45, below 0.01.
TEST(SimulationTest, AWrongOneHasAHintOfWhatItsRepairIsWorth) {
  const Simulation task = Task(Plain());
  int hints = 0;
  double apart = 0.0;
  double squares = 0.0;
  for (int earlier = 0; earlier < 4000; ++earlier) {
    const Point child =
        task.Attempt(Passing(1), earlier, Workforce::kAlone, {});
    ASSERT_EQ(child.hint.has_value(), child.verdict == Verdict::kWrongOutput);
    if (!child.hint) continue;
    ++hints;
    const double more = *child.hint - child.position.log_speedup;
    apart += more;
    squares += more * more;
  }
  ASSERT_GT(hints, 500);
  const auto [sd, share, mean] = kHintDoubt;
  EXPECT_NEAR(apart / hints, share * mean, 0.06);
  // The mean of the square: sd^2 + share * 2 mean^2.
  EXPECT_NEAR(squares / hints, sd * sd + share * 2 * mean * mean, 0.1);
}

TEST(SimulationTest, ABugThatIsNotFoundKeepsItsHint) {
  const Simulation task = Task(Plain());
  Point failing = Failing();
  failing.hint = 0.7;
  for (int earlier = 0; earlier < 50; ++earlier) {
    const Point child = task.Attempt(failing, earlier, Workforce::kAlone, {});
    EXPECT_EQ(child.hint, child.verdict == Verdict::kWrongOutput
                              ? failing.hint
                              : std::nullopt);
  }
}

// Its configuration is invalid by itself.
TEST(SimulationTest, WhatNobodyTimedHasNoHint) {
  const Simulation task = Task(Plain());
  Point invalid = Failing();
  invalid.position.at_best = Verdict::kWrongOutput;
  for (int earlier = 0; earlier < 50; ++earlier) {
    EXPECT_FALSE(task.Attempt(invalid, earlier, Workforce::kAlone, {}).hint);
  }
}

TEST(SimulationTest, ChildrenDependOnNothingButParentAndCount) {
  const TaskLaw law(Family::kNk, 2);
  const Simulation one = law.TaskOf(5);
  const Simulation other = law.TaskOf(5);
  const Point later = one.Attempt(one.Root(), 3, Workforce::kTeam, {});
  const Point first = one.Attempt(one.Root(), 0, Workforce::kTeam, {});
  EXPECT_EQ(other.Attempt(other.Root(), 0, Workforce::kTeam, {}), first);
  EXPECT_EQ(other.Attempt(other.Root(), 3, Workforce::kTeam, {}), later);
  EXPECT_NE(first.key, later.key);
}

// The ceiling of this task is the same for both; that of level 2 is 0.992 *
// 0.550 on average.
TEST(SimulationTest, FirstHopsMayFollowCeilings) {
  Parameters parameters = Plain();
  parameters.shortfall = 0.0;              // A first hop is at the median, so
  parameters.team.craft.first_hop = -9.0;  // below all that may follow.
  const auto hop = [&] {
    const Simulation task = Task(parameters);
    return task.Attempt(task.Root(), 0, Workforce::kTeam, {}).position;
  };
  const double ceiling =
      KeyedDraws(11).Gamma(DrawKey::kCeiling, 0.992, 0.550) - 0.992 * 0.550;
  EXPECT_NEAR(hop().log_speedup, -9.0, 1e-12);
  parameters.follows = 0.5;
  EXPECT_NEAR(hop().log_speedup, -9.0 + 0.5 * ceiling, 1e-12);
}

TEST(SimulationTest, MeasurementsAreAsNoisyAsParametersSay) {
  Parameters parameters = Plain();
  parameters.noise = 0.0;
  const Simulation task = Task(parameters);
  for (int earlier = 0; earlier < 20; ++earlier) {
    const Point child = task.Attempt(Passing(1), earlier, Workforce::kTeam, {});
    if (child.verdict != Verdict::kPassed) continue;
    EXPECT_EQ(child.measured, child.position.log_speedup);
  }
}

TEST(SimulationTest, TheRootIsExactlyOne) {
  const Point root = Task(Plain()).Root();
  EXPECT_EQ(root.verdict, Verdict::kPassed);
  EXPECT_EQ(root.measured, 0.0);
  EXPECT_EQ(root.depth, 0);
}

TEST(SimulationTest, FromTheRootFeedbackMakesNoDifference) {
  const Simulation task = Task(Plain());
  for (int earlier = 0; earlier < 100; ++earlier) {
    EXPECT_EQ(
        task.Attempt(task.Root(), earlier, Workforce::kWithoutFeedback, {}),
        task.Attempt(task.Root(), earlier, Workforce::kAlone, {}));
  }
}

// logit(0.5) = 0: 0.5 without feedback, logistic(0.8) = 0.69 with it.
TEST(SimulationTest, FeedbackHelpsOnWorkingCode) {
  const Simulation task = Task(Plain());
  EXPECT_NEAR(Share(task, Passing(1), Workforce::kWithoutFeedback), 0.5, kBand);
  EXPECT_NEAR(Share(task, Passing(1), Workforce::kAlone), 0.69, kBand);
}

// A team on a passing node with one child and two nephews that pass: they are
// 2 + 2 sightings, logistic(0.8 + 0.5 ln 5) = 0.833; five at most count, so
// logistic(0.8 + 0.5 ln 6) = 0.845 however many there are.
TEST(SimulationTest, ATeamLearnsFromRelativesThatPass) {
  const Simulation task = Task(Plain());
  const Relatives some = {.children = 1, .siblings = 0, .nephews = 2};
  const Relatives many = {.children = 50, .siblings = 0, .nephews = 50};
  EXPECT_NEAR(Share(task, Passing(1), Workforce::kTeam, some), 0.833, kBand);
  EXPECT_NEAR(Share(task, Passing(1), Workforce::kTeam, many), 0.845, kBand);
  EXPECT_NEAR(Share(task, Passing(1), Workforce::kAlone, many), 0.69, kBand);
}

// At the root a child counts once: logistic(0.5 ln 2) = 0.586.
TEST(SimulationTest, AtTheRootChildrenCountOnce) {
  const Simulation task = Task(Plain());
  EXPECT_NEAR(Share(task, task.Root(), Workforce::kTeam, {.children = 1}),
              0.586, kBand);
}

// logistic(0.8 - 4 * 0.3) = 0.40.
TEST(SimulationTest, LongLineagesAreBrittle) {
  Parameters parameters = Plain();
  parameters.brittleness = 0.3;
  EXPECT_NEAR(Share(Task(parameters), Passing(4), Workforce::kAlone),
              Logistic(-0.4), kBand);
}

// logistic(-3) = 0.047 alone; logistic(-3 * 0.35) = 0.26 for a team.
TEST(SimulationTest, AHardTaskIsHarderForOneAlone) {
  Parameters parameters = Plain();
  parameters.hard = 1.0;
  parameters.hard_penalty = 3.0;
  const Simulation task = Task(parameters);
  EXPECT_NEAR(Share(task, task.Root(), Workforce::kAlone), 0.047, kBand);
  EXPECT_NEAR(Share(task, task.Root(), Workforce::kTeam), 0.26, kBand);
}

// 0.4; with three passing siblings, logistic(logit(0.4) + 0.5 ln 4) = 0.571.
TEST(SimulationTest, ARepairSucceedsMoreOftenBesidePassingSiblings) {
  const Simulation task = Task(Plain());
  EXPECT_NEAR(Share(task, Failing(), Workforce::kAlone), 0.4, kBand);
  EXPECT_NEAR(Share(task, Failing(), Workforce::kTeam, {.siblings = 3}), 0.571,
              kBand);
}

// A gene of NK, by number; a first hop changes all, and a hill has none.
TEST(SimulationTest, AnEditHasAPartWhereThereAreAny) {
  const Simulation nk(Family::kNk, 1, 1);
  const Simulation hill(Family::kHill, 1, 1);
  const auto edited = [](const Simulation& task, std::int64_t k) {
    Point hop;
    for (std::int64_t i = 0; hop.depth == 0 || hop.verdict != Verdict::kPassed;
         ++i) {
      hop = task.Attempt(task.Root(), i, Workforce::kTeam, {});
    }
    EXPECT_EQ(hop.part, 0);
    return task.Attempt(hop, k, Workforce::kTeam, {});
  };
  for (std::int64_t k = 0; k < 20; ++k) {
    const Point child = edited(nk, k);
    EXPECT_TRUE(child.part >= 1 && child.part <= 20) << child.part;
    EXPECT_EQ(edited(hill, k).part, 0);
    if (child.verdict == Verdict::kPassed) continue;
    EXPECT_EQ(nk.Attempt(child, 0, Workforce::kTeam, {}).part, child.part);
  }
}

TEST(SimulationTest, ARepairRealisesThePlanThatFailed) {
  const Simulation task = Task(Plain());
  Point failing = Failing();
  failing.position = {.log_speedup = 0.7, .ceiling = 0.9};
  for (int earlier = 0; earlier < 20; ++earlier) {
    const Point child = task.Attempt(failing, earlier, Workforce::kTeam, {});
    EXPECT_EQ(child.position, failing.position);
    EXPECT_EQ(child.depth, 3);
  }
}

TEST(SimulationTest, StubbornBugsHardlyEverGoAway) {
  Point failing = Failing();
  failing.is_stubborn = true;
  EXPECT_NEAR(Share(Task(Plain()), failing, Workforce::kAlone), 0.01, 0.008);
}

// 4,000 draws tell the standard deviation to 0.02 / sqrt(8000) = 0.0002.
TEST(SimulationTest, MeasurementsHaveTwoPercentNoise) {
  Parameters parameters = Plain();
  parameters.alone.is_right = 1.0 - 1e-12;
  const Simulation task = Task(parameters);
  double squares = 0.0;
  for (int earlier = 0; earlier < 4000; ++earlier) {
    const Point child =
        task.Attempt(task.Root(), earlier, Workforce::kAlone, {});
    const double noise = child.measured - child.position.log_speedup;
    squares += noise * noise;
  }
  EXPECT_NEAR(std::sqrt(squares / 4000.0), 0.02, 0.0012);
}

TEST(SimulationTest, AnInvalidConfigurationIsLeftNotRepaired) {
  const auto space = std::make_shared<const RecordedSpace>(*RecordedSpace::Make(
      {"tile"},
      {{{"8"}, Verdict::kPassed, 1.0}, {{"16"}, Verdict::kCrashed, 0.0}}));
  const Simulation task(space, RecordedMode::kRaw, 11);
  Point invalid = Passing(1);
  invalid.position = space->At(1);
  invalid.verdict = Verdict::kCrashed;
  // The only other one is valid, and code for it right in 0.65 + 0.3.
  EXPECT_NEAR(Share(task, invalid, Workforce::kTeam), 0.95, 0.02);
  EXPECT_EQ(task.Attempt(invalid, 0, Workforce::kTeam, {}).position.genome, 0u);
}

// The root's first child, its first child, and that one's second, on seed 1 of
// each landscape: stored campaigns go on by these.
struct Golden {
  const char* landscape;
  std::uint64_t key;
  double log_speedup;
};

TEST(SimulationTest, PathsStayWhatTheyWere) {
  const std::vector<Golden> golden = {
      {"hill/1", 11309710643188669827u, -0.064556940368656057},
      {"nk/2", 3180878590274904546u, -0.13390756534621254},
      {"ladder/3", 3825042298494734594u, -0.39190656573605026},
      {"weak/1", 1301824461096948022u, 0.088531925130998265},
      {"deceptive/2", 9560425210969476709u, 0.0044063973341548282},
  };
  for (const Golden& path : golden) {
    const Simulation task = CalibratedLaw(path.landscape)->TaskOf(1);
    Point point = task.Root();
    for (const int earlier : {0, 0, 1}) {
      point = task.Attempt(point, earlier, Workforce::kTeam, {});
    }
    EXPECT_EQ(point.key, path.key) << path.landscape;
    EXPECT_NEAR(point.position.log_speedup, path.log_speedup, 1e-12)
        << path.landscape;
  }
}

}  // namespace
}  // namespace coppice::search
