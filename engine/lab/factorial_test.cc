#include "engine/lab/factorial.h"

#include <gmock/gmock.h>

#include <sstream>

namespace coppice::lab {
namespace {

using testing::ElementsAre;

// Policy and agents, of two levels each.
Design TwoByTwo() {
  return {{{"policy", {"p", "q"}}, {"agents", {"team", "alone"}}},
          {{"p.team", {0, 0}},
           {"p.alone", {0, 1}},
           {"q.team", {1, 0}},
           {"q.alone", {1, 1}}}};
}

// Lines of task, seed and the log speedups of p.team, p.alone, q.team, q.alone
// and of sampling, which is no cell; "-": it is not there.  The family of a
// task is its first letter.
std::vector<Score> ReadRaces(const std::string& text) {
  std::vector<Score> scores;
  std::istringstream lines(text);
  std::string task;
  std::uint64_t seed = 0;
  while (lines >> task >> seed) {
    for (const char* policy :
         {"p.team", "p.alone", "q.team", "q.alone", "sampling"}) {
      std::string value;
      lines >> value;
      if (value == "-") continue;
      Score score;
      score.policy = policy;
      score.task = task;
      score.family = task.substr(0, 1);
      score.seed = seed;
      score.attempts = policy == std::string("sampling") ? 8 : 4;
      score.log_speedup = std::stod(value);
      scores.push_back(score);
    }
  }
  return scores;
}

// Cells' means over the tasks:        team  alone
//                                p     2     1
//                                q     6     3
// policy p -> q:  (6 + 3) / 2 - (2 + 1) / 2 = 3
// agents team -> alone:  (1 + 3) / 2 - (2 + 6) / 2 = -2
// both:  (3 - 1) - (6 - 2) = -2: alone, q gains 2 less than in a team.
TEST(FactorialTest, EffectsAreThoseOfATwoByTwoTable) {
  const Factorial factorial = Analyse(TwoByTwo(), ReadRaces("t 1 1 0 5 2 0\n"
                                                            "t 2 3 2 7 4 0\n"
                                                            "u 1 2 1 6 3 0\n"));
  ASSERT_EQ(factorial.effects.size(), 3u);
  const auto value = [&](std::size_t e) {
    return factorial.effects[e].difference.over_tasks.value;
  };
  EXPECT_DOUBLE_EQ(value(0), 3.0);
  EXPECT_DOUBLE_EQ(value(1), -2.0);
  EXPECT_DOUBLE_EQ(value(2), -2.0);
  EXPECT_EQ(factorial.effects[1].changes[0].factor, 1u);
  EXPECT_EQ(factorial.effects[2].changes.size(), 2u);
  EXPECT_EQ(factorial.races, 3);
}

// Effects of each race are the same, though the races differ: no interval
// says that they vary.
TEST(FactorialTest, EffectsArePairedByTaskAndSeed) {
  const Factorial factorial =
      Analyse(TwoByTwo(), ReadRaces("t 1 1 0 5 2 0\n"
                                    "t 2 3 2 7 4 0\n"
                                    "u 1 12 11 16 13 0\n"
                                    "u 2 2 1 6 3 0\n"));
  const Difference& policy = factorial.effects[0].difference;
  EXPECT_EQ(policy.pairs, 4);
  EXPECT_DOUBLE_EQ(policy.log_speedup.interval->low, 3.0);
  EXPECT_DOUBLE_EQ(policy.over_tasks.interval->high, 3.0);
}

// q - p is 2 on tu and 4 on tv, which are a family, and 9 on u.  Over tasks 5,
// over families (3 + 9) / 2 = 6; u has three seeds and counts as a task.
TEST(FactorialTest, EachTaskAndEachFamilyCountsOnce) {
  const Factorial factorial = Analyse(TwoByTwo(), ReadRaces("tu 1 0 0 2 2 0\n"
                                                            "tv 1 0 0 4 4 0\n"
                                                            "u 1 0 0 9 9 0\n"
                                                            "u 2 0 0 9 9 0\n"
                                                            "u 3 0 0 9 9 0\n"));
  EXPECT_DOUBLE_EQ(factorial.effects[0].difference.over_tasks.value, 5.0);
  EXPECT_DOUBLE_EQ(factorial.effects[0].difference.over_families.value, 6.0);
}

// Three levels are two changes from the first one, each of which interacts with
// the change of the other factor:
//        x   y
//    a   0   1
//    b   2   3      b - a: (2 + 3 - 0 - 1) / 2 = 2
//    c   4   9      c - a: (4 + 9 - 0 - 1) / 2 = 6
//                   y - x: (1 + 3 + 9 - 0 - 2 - 4) / 3 = 7 / 3
// b with y: (3 - 1) - (2 - 0) = 0;  c with y: (9 - 1) - (4 - 0) = 4.
TEST(FactorialTest, MoreLevelsAreChangesFromTheFirst) {
  const Design design = {{{"policy", {"a", "b", "c"}}, {"window", {"x", "y"}}},
                         {{"a.x", {0, 0}},
                          {"a.y", {0, 1}},
                          {"b.x", {1, 0}},
                          {"b.y", {1, 1}},
                          {"c.x", {2, 0}},
                          {"c.y", {2, 1}}}};
  const std::vector<double> table = {0, 1, 2, 3, 4, 9};
  std::vector<Score> scores;
  for (std::size_t i = 0; i < table.size(); ++i) {
    Score score;
    score.policy = design.cells[i].policy;
    score.task = "t";
    score.log_speedup = table[i];
    scores.push_back(score);
  }
  std::vector<double> values;
  for (const Effect& effect : Analyse(design, scores).effects) {
    values.push_back(effect.difference.over_tasks.value);
  }
  EXPECT_THAT(values,
              ElementsAre(2.0, 6.0, testing::DoubleEq(7.0 / 3.0), 0.0, 4.0));
}

TEST(FactorialTest, TheBestCellIsFirstAndOthersAreNoCells) {
  const Factorial factorial =
      Analyse(TwoByTwo(), ReadRaces("t 1 1 2 4 3 9\nt 2 1 2 4 3 9\n"));
  EXPECT_EQ(factorial.best(), "q.team");
  EXPECT_EQ(factorial.cells[1].policy, "q.alone");
  EXPECT_EQ(factorial.cells[0].attempts, 4.0);
  ASSERT_EQ(factorial.others.size(), 1u);
  EXPECT_EQ(factorial.others[0].over_tasks.value, 9.0);
  EXPECT_EQ(factorial.others[0].attempts, 8.0);
}

TEST(FactorialTest, ARaceThatAPolicyLacksDoesNotCount) {
  const Factorial factorial =
      Analyse(TwoByTwo(),
              ReadRaces("t 1 1 1 3 3 0\nt 2 99 99 0 0 -\nt 3 99 - 0 0 0\n"));
  EXPECT_EQ(factorial.races, 1);
  EXPECT_EQ(factorial.effects[0].difference.over_tasks.value, 2.0);
  EXPECT_EQ(Analyse(TwoByTwo(), ReadRaces("t 1 1 1 3 - 0\n")).races, 0);
}

Difference Found(const std::string& policy, DifferenceSign finding,
                 double value) {
  Difference difference;
  difference.policy = policy;
  difference.finding = finding;
  difference.log_speedup.value = value;
  return difference;
}

std::string Winner(const std::vector<Difference>& differences) {
  Comparison comparison;
  comparison.baseline = "chosen";
  comparison.differences = differences;
  return WinnerOf(comparison);
}

TEST(FactorialTest, WhoIsAheadOfAllWinsAndNobodyElse) {
  const Difference worse = Found("s", DifferenceSign::kWorse, -1.0);
  const Difference open = Found("r", DifferenceSign::kCannotTell, -0.1);
  const Difference better = Found("s", DifferenceSign::kBetter, 0.2);
  const Difference best = Found("r", DifferenceSign::kBetter, 0.3);
  EXPECT_EQ(Winner({worse, Found("r", DifferenceSign::kWorse, -0.5)}),
            "chosen");
  EXPECT_EQ(Winner({worse, open}), "");
  EXPECT_EQ(Winner({better, open}), "s");
  EXPECT_EQ(Winner({better, best}), "r");
  EXPECT_EQ(Winner({best, worse}), "r");
}

}  // namespace
}  // namespace coppice::lab
