#include "engine/in_memory_grid.h"

#include <gtest/gtest.h>

#include "engine/grid.h"
#include "engine/proof.h"
#include "search/landscapes/in_memory_campaign.h"

namespace coppice::engine {
namespace {

std::vector<search::TaskLaw> LawsOf(const InMemoryGrid& grid) {
  std::vector<search::TaskLaw> laws;
  for (const std::string& name : grid.landscapes) {
    laws.push_back(*search::CalibratedLaw(name));
  }
  return laws;
}

InMemoryScores Played(const InMemoryGrid& grid, int threads) {
  auto scores = RunGridInMemory(grid, LawsOf(grid), threads, [](double) {});
  EXPECT_TRUE(scores);
  return *std::move(scores);
}

const InMemoryGrid kSmall{
    {"stark", "best_of_k.alone"}, {"hill/1", "nk/2"}, 5, 70, {5, 20}};

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
  const auto refused = RunGridInMemory(grid, LawsOf(grid), 1, [](double) {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "code_temperature: makes no difference in memory; window_history "
            "does");
}

TEST(InMemoryGridTest, AnUnknownPolicyIsAnError) {
  InMemoryGrid grid = kSmall;
  grid.policies = {"strak"};
  const auto scores = RunGridInMemory(grid, LawsOf(grid), 1, [](double) {});
  ASSERT_FALSE(scores);
  EXPECT_EQ(scores.error().code, Errc::kUsage);
}

}  // namespace
}  // namespace coppice::engine
