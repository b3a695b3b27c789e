#include "engine/compare/in_memory_grid.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "engine/compare/confirm_winner.h"
#include "search/landscapes/in_memory_campaign.h"
#include "search/landscapes/task_law.h"

namespace coppice::engine {
namespace {

std::vector<search::TaskLaw> LawsOf(const InMemoryGrid& grid) {
  std::vector<search::TaskLaw> laws;
  for (const std::string& name : grid.landscapes) {
    laws.push_back(*search::CalibratedLaw(name));
  }
  return laws;
}

const std::atomic<bool> kNever{false};

Result<void> Play(InMemoryScores& scores, int threads) {
  return PlayInMemory(LawsOf(scores.grid()), threads, kNever, scores,
                      [](const auto&) { return Result<void>(); });
}

InMemoryScores Played(const InMemoryGrid& grid, int threads) {
  InMemoryScores scores(grid);
  EXPECT_TRUE(Play(scores, threads));
  return scores;
}

// Seeds count from 5 on.
std::vector<std::uint64_t> Seeds(std::uint64_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), 5);
  return seeds;
}

const InMemoryGrid kSmall{
    {"stark", "best_of_k.alone"}, {"hill/1", "nk/2"}, Seeds(70), {5, 20}};

TEST(InMemoryGridTest, EachCellHasTheScoreOfItsCampaign) {
  const InMemoryScores scores = Played(kSmall, 1);
  const auto of_nk = scores.ScoresOf(1, 1);  // At 20 attempts.
  ASSERT_EQ(of_nk.size(), 2u * 70u);
  const lab::Score& score = of_nk[70 + 1];
  EXPECT_EQ(score.policy, "best_of_k.alone");
  EXPECT_EQ(score.task, "nk/2");
  EXPECT_EQ(score.seed, 6u);
  const auto policy = search::MakePolicy("best_of_k").value();
  const std::int64_t budget = 20;
  const auto outcome =
      search::RunInMemory(*policy, *search::CalibratedLaw("nk/2"), 6,
                          {search::Workforce::kAlone,
                           budget,
                           {&budget, 1},
                           search::kPaperWindow,
                           kMostRefuted});
  ASSERT_TRUE(outcome.incumbents[0]);
  EXPECT_GT(score.log_speedup, 0.0);
  EXPECT_EQ(score.log_speedup, outcome.proven[0]);
  EXPECT_EQ(score.attempts, 20);
  EXPECT_EQ(score.compiled, outcome.compiled);
  EXPECT_EQ(score.passed, outcome.correct);
}

TEST(InMemoryGridTest, ThreadsShareTheWorkAndChangeNothing) {
  const auto alone = Played(kSmall, 1).ScoresOf(1, 2);
  const auto together = Played(kSmall, 4).ScoresOf(1, 2);
  ASSERT_EQ(alone.size(), 2u * 2u * 70u);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].log_speedup, together[i].log_speedup);
    EXPECT_EQ(alone[i].task, together[i].task);
  }
}

// It is the same campaign, looked at earlier.
TEST(InMemoryGridTest, ASmallerBudgetIsOnTheWayToALargerOne) {
  InMemoryGrid only = kSmall;
  only.budgets = {5};
  const auto early = Played(only, 1).ScoresOf(0, 0);
  const auto on_the_way = Played(kSmall, 1).ScoresOf(0, 0);
  for (std::size_t i = 0; i < early.size(); ++i) {
    EXPECT_EQ(early[i].log_speedup, on_the_way[i].log_speedup);
  }
}

TEST(InMemoryGridTest, AContendersWindowTellsAndOtherSettingsAreRefused) {
  InMemoryGrid grid = kSmall;
  grid.policies = {"stark", "stark@window_history=5", "stark@window_history=0"};
  const auto scores = Played(grid, 1).ScoresOf(1, 0);
  bool differs = false;
  for (std::size_t seed = 0; seed < 70; ++seed) {
    EXPECT_EQ(scores[seed].log_speedup, scores[70 + seed].log_speedup);
    differs |= scores[seed].log_speedup != scores[140 + seed].log_speedup;
  }
  EXPECT_TRUE(differs);
  grid.policies = {"stark@code_temperature=1"};
  const auto refused = CheckInMemory(grid.policies);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "code_temperature: makes no difference in memory; window_history "
            "does");
}

// So the one of 20 attempts is not that of 40 looked at earlier.
TEST(InMemoryGridTest, APolicyThatLooksAheadHasACampaignForEachBudget) {
  InMemoryGrid grid = kSmall;
  grid.policies = {"xei_hint"};
  grid.budgets = {20, 40};
  const InMemoryScores scores = Played(grid, 1);
  const auto policy = search::MakePolicy("xei_hint").value();
  const search::TaskLaw law = *search::CalibratedLaw("hill/1");
  const std::vector<std::int64_t> both = {20, 40};
  int differ = 0;
  for (std::size_t seed = 0; seed < 70; ++seed) {
    const auto play = [&](std::span<const std::int64_t> budgets) {
      return search::RunInMemory(*policy, law, grid.seeds[seed],
                                 {search::Workforce::kTeam, budgets.back(),
                                  budgets, search::kPaperWindow, kMostRefuted});
    };
    const auto alone = play(std::span(both).first(1));
    const auto& score = scores.At({0, 0, seed, 0});
    EXPECT_EQ(score.solved, alone.incumbents[0].has_value());
    EXPECT_EQ(score.log_speedup, score.solved ? alone.proven[0] : 0.0);
    differ += alone.proven[0] != play(both).proven[0] ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
}

TEST(InMemoryGridTest, AnUnknownPolicyIsAnError) {
  InMemoryGrid grid = kSmall;
  grid.policies = {"strak"};
  InMemoryScores scores(grid);
  EXPECT_EQ(Play(scores, 1).error().code, Errc::kUsage);
}

// There are 280 campaigns (2 policies, 2 landscapes, 70 seeds).  10 seeds of
// stark on hill/1 are known already.
TEST(InMemoryGridTest, WhatIsKnownIsNotPlayedAgain) {
  const InMemoryScores whole = Played(kSmall, 1);
  InMemoryScores scores(kSmall);
  for (std::size_t seed = 20; seed < 30; ++seed) {
    for (std::size_t b = 0; b < 2; ++b) {
      scores.At({0, 0, seed, b}) = whole.At({0, 0, seed, b});
    }
  }
  EXPECT_EQ(scores.CountMissing(), 270);
  std::size_t played = 0;
  double share = 0.0;
  ASSERT_TRUE(PlayInMemory(LawsOf(kSmall), 1, kNever, scores,
                           [&](const PlayedInMemory& some) {
                             played += some.seeds.size();
                             share = some.share;
                             return Result<void>();
                           }));
  EXPECT_EQ(played, 270u);
  EXPECT_EQ(share, 1.0);
  EXPECT_EQ(scores.CountMissing(), 0);
  EXPECT_EQ(scores.At({1, 1, 69, 1}), whole.At({1, 1, 69, 1}));
}

// A longer budget passes by the shorter one that is kept.
TEST(InMemoryGridTest, AKeptScoreThatTheCampaignDoesNotHaveIsAnError) {
  InMemoryScores scores = Played(kSmall, 1);
  scores.At({0, 1, 3, 1}).known = false;
  scores.At({0, 1, 3, 0}).log_speedup += 1e-9;
  const auto played = Play(scores, 1);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().code, Errc::kCorrupt);
  EXPECT_EQ(played.error().what.substr(0, 35),
            "stark on nk/2, seed 8, 5 attempts: ");
}

TEST(InMemoryGridTest, SeedsThatAPolicyLacksAreNotCompared) {
  InMemoryScores scores = Played(kSmall, 1);
  scores.At({1, 0, 3, 1}).known = false;
  EXPECT_EQ(scores.ScoresOf(1, 0).size(), 2u * 69u);
  EXPECT_EQ(scores.ScoresOf(1, 2).size(), 2u * (69u + 70u));
  EXPECT_EQ(scores.ScoresOf(0, 0).size(), 2u * 70u);
  EXPECT_EQ(scores.ScoresOf(1, 0)[3].seed, 9u);  // 5, 6, 7, not 8.
}

// What a file keeps is of these rules: who changes one of the numbers raises
// kInMemoryRules.  They were printed by the program of rules 2.
TEST(InMemoryGridTest, ScoresAreThoseOfTheRules) {
  ASSERT_EQ(kInMemoryRules, 2);
  InMemoryGrid grid = kSmall;
  grid.landscapes = search::CalibratedNames();
  double sum = 0.0;
  std::int64_t compiled = 0;
  std::int64_t correct = 0;
  for (const lab::Score& score : Played(grid, 1).ScoresOf(1, 15)) {
    sum += score.log_speedup;
    compiled += score.compiled;
    correct += score.passed;
  }
  EXPECT_NEAR(sum, 552.366180867, 1e-6);
  EXPECT_EQ(compiled, 36297);
  EXPECT_EQ(correct, 16695);
}

}  // namespace
}  // namespace coppice::engine
