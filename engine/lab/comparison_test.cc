#include "engine/lab/comparison.h"

#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

namespace coppice::lab {
namespace {

// Lines of policy, task, seed and speedup; "-" for a campaign that solved
// nothing.  Four attempts each, of which three compiled and one passed.
std::vector<Score> Read(const std::string& text) {
  std::vector<Score> scores;
  std::istringstream lines(text);
  std::string policy;
  std::string task;
  std::uint64_t seed = 0;
  std::string speedup;
  while (lines >> policy >> task >> seed >> speedup) {
    Score score;
    score.policy = policy;
    score.task = task;
    score.seed = seed;
    score.attempts = 4;
    score.compiled = 3;
    if (speedup != "-") {
      score.solved = true;
      score.passed = 1;
      score.log_speedup = std::log(std::stod(speedup));
      score.curve = {{2.0, score.log_speedup}};
    }
    scores.push_back(std::move(score));
  }
  return scores;
}

TEST(ComparisonTest, SummarisesPolicies) {
  const Comparison comparison = Compare(Read("a t 1 4\n"
                                             "a t 2 -\n"
                                             "a u 1 1\n"
                                             "a u 2 2\n"),
                                        "a", {1, 2});
  ASSERT_EQ(comparison.policies.size(), 1U);
  const PolicySummary& a = comparison.policies[0];
  EXPECT_EQ(a.campaigns, 4);
  EXPECT_DOUBLE_EQ(a.success, 0.75);
  EXPECT_DOUBLE_EQ(a.fast_1, 0.5);  // A speedup of 1 is not faster.
  EXPECT_EQ(a.undecided, 0);
  EXPECT_DOUBLE_EQ(a.compiled, 12.0 / 16.0);
  EXPECT_DOUBLE_EQ(a.passed, 3.0 / 16.0);
  EXPECT_DOUBLE_EQ(a.arithmetic_mean_speedup, (4.0 + 1 + 1 + 2) / 4);
  EXPECT_NEAR(a.geometric_mean_speedup, std::pow(8.0, 0.25), 1e-12);
  EXPECT_THAT(comparison.tasks, testing::ElementsAre("t", "u"));
  EXPECT_EQ(comparison.least_seeds, 2);
  EXPECT_TRUE(comparison.differences.empty());
}

TEST(ComparisonTest, CountsWhatIsNotTold) {
  std::vector<Score> scores = Read("a t 1 4\na t 2 1.01\na t 3 1\n");
  scores[1].decided = scores[2].decided = false;
  EXPECT_EQ(Compare(scores, "a", {}).policies[0].undecided, 2);
}

TEST(ComparisonTest, CurvesRiseWhenTheirCampaignsDo) {
  const Comparison comparison = Compare(Read("a t 1 4\n"
                                             "a t 2 -\n"),
                                        "a", {1, 2});
  EXPECT_EQ(comparison.curves[0][0].log_speedup.mean.value, 0.0);
  EXPECT_DOUBLE_EQ(comparison.curves[0][1].log_speedup.mean.value,
                   std::log(4.0) / 2);
}

// In each pair b has twice the speedup: the difference is log 2 throughout.
constexpr const char* kSevenPairs =
    "a t 1 1\na t 2 3\na t 3 2\na t 4 2\na t 5 4\na t 6 1\na t 7 5\n"
    "b t 1 2\nb t 2 6\nb t 3 4\nb t 4 4\nb t 5 8\nb t 6 2\nb t 7 10\n";

TEST(ComparisonTest, APolicyThatAlwaysWinsIsBetter) {
  const Comparison comparison = Compare(Read(kSevenPairs), "a", {});
  ASSERT_EQ(comparison.differences.size(), 1U);
  const Difference& b = comparison.differences[0];
  EXPECT_EQ(b.policy, "b");
  EXPECT_EQ(b.pairs, 7);
  EXPECT_NEAR(b.log_speedup.value, std::log(2.0), 1e-12);
  EXPECT_DOUBLE_EQ(b.p, 2.0 / 128.0);
  EXPECT_EQ(b.adjusted_p, b.p);
  EXPECT_EQ(b.finding, DifferenceSign::kBetter);
  EXPECT_FALSE(b.more_seeds);
  EXPECT_EQ(Compare(Read(kSevenPairs), "b", {}).differences[0].finding,
            DifferenceSign::kWorse);
}

// d = (log 2 + log 2 - log 4 + log 4) / 4 = log 2 / 2, sd = sqrt(((1/2)^2 +
// (1/2)^2 + (5/2)^2 + (3/2)^2) / 3) log 2 = sqrt(3) log 2: (2.8016 * 3.464)^2 =
// 94.19, so 95 pairs, 91 more.
TEST(ComparisonTest, WhatCannotBeToldSaysHowManySeedsWould) {
  const Comparison comparison =
      Compare(Read("a t 1 1\na t 2 1\na t 3 4\na t 4 1\n"
                   "b t 1 2\nb t 2 2\nb t 3 1\nb t 4 4\n"),
              "a", {});
  const Difference& b = comparison.differences[0];
  EXPECT_EQ(b.finding, DifferenceSign::kCannotTell);
  EXPECT_NEAR(b.standard_deviation, std::sqrt(3.0) * std::log(2.0), 1e-12);
  EXPECT_EQ(b.more_seeds, 91);
}

// Two pairs on each of two tasks, all alike: 2/16 whatever the difference, and
// six pairs are the least that can show any; that is one more seed.
TEST(ComparisonTest, FewPairsCannotTellHoweverClearTheyAre) {
  const Comparison comparison =
      Compare(Read("a t 1 1\na t 2 1\na u 1 1\na u 2 1\n"
                   "b t 1 2\nb t 2 2\nb u 1 2\nb u 2 2\n"),
              "a", {});
  EXPECT_EQ(comparison.differences[0].finding, DifferenceSign::kCannotTell);
  EXPECT_EQ(comparison.differences[0].more_seeds, 1);
}

TEST(ComparisonTest, EqualPoliciesNeedNoNumberOfSeeds) {
  const Comparison comparison =
      Compare(Read("a t 1 2\na t 2 3\nb t 1 2\nb t 2 3\n"), "a", {});
  const Difference& b = comparison.differences[0];
  EXPECT_EQ(b.log_speedup.value, 0.0);
  EXPECT_EQ(b.p, 1.0);
  EXPECT_EQ(b.finding, DifferenceSign::kCannotTell);
  EXPECT_FALSE(b.more_seeds);
  EXPECT_DOUBLE_EQ(b.probability_of_improvement, 0.5);
}

// Seeds draw tasks, so b's 3 is of the one that a has 2 on, and its 10 of the
// one that a has 9 on: better both times.
TEST(ComparisonTest, ImprovementIsOfPairsToo) {
  const Comparison comparison =
      Compare(Read("a t 1 2\na t 2 9\nb t 1 3\nb t 2 10\n"), "a", {});
  EXPECT_DOUBLE_EQ(comparison.differences[0].probability_of_improvement, 1.0);
}

TEST(ComparisonTest, RunsThatOneOfTheTwoLacksAreNoPairs) {
  const Comparison comparison =
      Compare(Read("a t 1 1\na t 2 1\nb t 2 2\nb u 1 9\n"), "a", {});
  EXPECT_EQ(comparison.differences[0].pairs, 1);
  EXPECT_NEAR(comparison.differences[0].log_speedup.value, std::log(2.0),
              1e-12);
  EXPECT_FALSE(comparison.differences[0].log_speedup.interval);
  EXPECT_FALSE(comparison.differences[0].more_seeds);
  EXPECT_EQ(comparison.races, 1);
  EXPECT_EQ(comparison.least_seeds, 1);
  EXPECT_EQ(comparison.profiles[1][0], 1.0);
}

TEST(ComparisonTest, PoliciesThatNeverMetAreNotTold) {
  const Comparison comparison = Compare(Read("a t 1 1\nb u 1 2\n"), "a", {});
  EXPECT_EQ(comparison.differences[0].pairs, 0);
  EXPECT_EQ(comparison.differences[0].p, 1.0);
  EXPECT_EQ(comparison.races, 0);
  EXPECT_TRUE(comparison.profiles.empty());
}

// p = 2/128 each; the less of equals is multiplied by 2 as well.
TEST(ComparisonTest, TwoQuestionsAreAdjustedForBoth) {
  std::string text = kSevenPairs;
  for (int seed = 1; seed <= 7; ++seed) {
    text += "c t " + std::to_string(seed) + " 100\n";
  }
  const Comparison comparison = Compare(Read(text), "a", {});
  EXPECT_DOUBLE_EQ(comparison.differences[0].adjusted_p, 4.0 / 128.0);
  EXPECT_DOUBLE_EQ(comparison.differences[1].adjusted_p, 4.0 / 128.0);
}

// b is faster by 2 on t, by 2 and 8 on u, and as fast on v: means of log 2, 2
// log 2 and 0.  Over tasks that is log 2, and with an error of log 2 / sqrt(3)
// and Student's 4.303 of two degrees of freedom it reaches to 2.484 log 2.  As
// t and u are of one family, families are 1.5 log 2 and 0: 0.75 log 2, with an
// error of 0.75 log 2 and Student's 12.706.
TEST(ComparisonTest, ADifferenceIsAlsoTakenOverTasksAndFamilies) {
  std::vector<Score> scores = Read(
      "a t 1 1\na t 2 3\na u 1 1\na u 2 1\na v 1 2\na v 2 5\n"
      "b t 1 2\nb t 2 6\nb u 1 2\nb u 2 8\nb v 1 2\nb v 2 5\n");
  for (Score& score : scores) {
    if (score.task != "v") score.family = "t_and_u";
  }
  const Difference b = Compare(scores, "a", {}).differences[0];
  const double unit = std::log(2.0);
  EXPECT_EQ(b.tasks, 3);
  EXPECT_NEAR(b.over_tasks.value, unit, 1e-12);
  ASSERT_TRUE(b.over_tasks.interval);
  EXPECT_NEAR(b.over_tasks.interval->high, (1.0 + 2.484) * unit, 1e-2);
  EXPECT_EQ(b.families, 2);
  EXPECT_NEAR(b.over_families.value, 0.75 * unit, 1e-12);
  ASSERT_TRUE(b.over_families.interval);
  EXPECT_NEAR(b.over_families.interval->high, 0.75 * (1.0 + 12.706) * unit,
              1e-2);
}

TEST(ComparisonTest, OneTaskSaysNothingOfOthers) {
  const Difference b = Compare(Read(kSevenPairs), "a", {}).differences[0];
  EXPECT_EQ(b.tasks, 1);
  EXPECT_FALSE(b.over_tasks.interval);
  EXPECT_TRUE(b.log_speedup.interval);
}

// t has log 8 to gain and u log 2.  a has 1/3 and 2/3 of it on t and none on u:
// 1/4 on average; b all of it: 3/4 more.  Random search has log 2 on t: a is at
// -0 and 1/2 there; on u it finds the fastest, so that u is left out.
TEST(ComparisonTest, ScoresAreToldByWhatIsKnownOfTheirTask) {
  const double unit = std::log(2.0);
  std::vector<Score> scores = Read(
      "a t 1 2\na t 2 4\na u 1 1\na u 2 1\na v 1 1\na v 2 1\n"
      "b t 1 8\nb t 2 8\nb u 1 2\nb u 2 2\nb v 1 9\nb v 2 9\n");
  const Comparison comparison =
      Compare(scores, "a", {}, {{"t", {3 * unit, unit}}, {"u", {unit, unit}}});
  ASSERT_TRUE(comparison.known);
  const KnownOptima& known = *comparison.known;
  EXPECT_EQ(known.tasks, 2);
  EXPECT_EQ(known.open_tasks, 1);
  EXPECT_EQ(known.families, 2);
  EXPECT_NEAR(known.random_share, (1.0 / 3.0 + 1.0) / 2.0, 1e-12);
  EXPECT_NEAR(known.policies[0].share.value, 0.25, 1e-12);
  EXPECT_NEAR(known.policies[0].over_random.value, 0.25, 1e-12);
  EXPECT_NEAR(known.policies[1].share.value, 1.0, 1e-12);
  EXPECT_NEAR(known.policies[1].over_random.value, 1.0, 1e-12);
  EXPECT_NEAR(known.policies[1].over_tasks.value, 0.75, 1e-12);
  EXPECT_TRUE(known.policies[1].over_tasks.interval);
  EXPECT_FALSE(Compare(scores, "a", {}).known);
}

TEST(ComparisonTest, NoScoresSayNothing) {
  EXPECT_TRUE(Compare({}, "a", {1}).policies.empty());
}

}  // namespace
}  // namespace coppice::lab
