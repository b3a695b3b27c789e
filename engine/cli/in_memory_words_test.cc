#include "engine/cli/in_memory_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/verbs.h"
#include "engine/factory/landscape_tasks.h"

namespace coppice::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Names = std::vector<std::string>;

const engine::LandscapeTasks& Landscapes() {
  static const engine::LandscapeTasks tasks(
      std::filesystem::path(COPPICE_SOURCE_DIR) / "data");
  return tasks;
}

Invocation Typed(const Names& words) { return AsTyped(CompareVerb(), words); }

Result<Names> TasksIn(const Names& words, const Names& otherwise = {}) {
  return LandscapesOf(Typed(words), "tasks", Landscapes(), otherwise);
}

// What a file was played on, three seeds of two policies.
engine::InMemoryGrid Filed() {
  engine::InMemoryGrid grid;
  grid.policies = {"greedy", "puct"};
  grid.landscapes = {"sim:weak/1"};
  grid.seeds = {11, 12, 13};
  grid.budgets = {4, 8};
  return grid;
}

engine::InMemoryGrid GridIn(const Names& words,
                            const engine::InMemoryGrid& file = {}) {
  return store::Must(InMemoryGridOf(Typed(words), Landscapes(), file));
}

std::string RefusedIn(const Names& words) {
  const auto grid = InMemoryGridOf(Typed(words), Landscapes(), {});
  return grid ? "not refused" : grid.error().what;
}

TEST(InMemoryWordsTest, ASetIsAllOfItsLandscapesEachOnce) {
  EXPECT_THAT(*TasksIn({"--tasks", "sim:hill/2,sim:hill/1,sim:hill/2"}),
              ElementsAre("sim:hill/2", "sim:hill/1"));
  const Names simulated = *TasksIn({"--tasks", "sim:hill/2,sim:all"});
  EXPECT_EQ(simulated.front(), "sim:hill/2");
  EXPECT_EQ(std::ranges::count(simulated, "sim:hill/2"), 1);
  EXPECT_THAT(simulated, Contains("sim:deceptive/3"));
  // That one is not drawn by seeds.
  EXPECT_THAT(simulated, Not(Contains("sim:basic")));
  const Names all = *TasksIn({"--tasks", "all"});
  EXPECT_GT(all.size(), simulated.size());
  EXPECT_THAT(all, Contains(StartsWith("recorded:")));
}

TEST(InMemoryWordsTest, WhereNoneAreNamedThoseOfTheFileArePlayed) {
  EXPECT_THAT(*TasksIn({}, {"sim:nk/1"}), ElementsAre("sim:nk/1"));
  const auto none = TasksIn({});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "--tasks: say which, as in --tasks sim:all");
}

TEST(InMemoryWordsTest, WhatIsSaidStandsBeforeWhatTheFileHas) {
  const engine::InMemoryGrid filed = GridIn({}, Filed());
  EXPECT_EQ(filed.policies, Filed().policies);
  EXPECT_EQ(filed.landscapes, Filed().landscapes);
  EXPECT_EQ(filed.seeds, Filed().seeds);
  EXPECT_EQ(filed.budgets, Filed().budgets);
  const engine::InMemoryGrid said =
      GridIn({"--policies", "stark", "--budget", "9,3,9", "--seeds", "2",
              "--seed", "5"},
             Filed());
  EXPECT_THAT(said.policies, ElementsAre("stark"));
  EXPECT_EQ(said.landscapes, Filed().landscapes);
  EXPECT_THAT(said.seeds, ElementsAre(5u, 6u));
  EXPECT_THAT(said.budgets, ElementsAre(3, 9));  // Ascending, each once.
}

// Looks are at as many seeds whatever the file has.
TEST(InMemoryWordsTest, UntilToldSeedsAreCountedAnew) {
  EXPECT_EQ(GridIn({"--until-told"}, Filed()).seeds.size(),
            static_cast<std::size_t>(kManySeeds));
  EXPECT_EQ(GridIn({"--until-told", "--seeds", "40"}, Filed()).seeds.size(),
            40u);
}

TEST(InMemoryWordsTest, BudgetsAreOfAttemptsUnlessItIsSaid) {
  const Names stark = {"--policies", "stark", "--tasks", "sim:hill/1"};
  const auto unit_of = [&](const Names& more) {
    Names words = stark;
    words.insert(words.end(), more.begin(), more.end());
    return UnitOf(GridIn(words));
  };
  EXPECT_EQ(unit_of({}), "attempts");
  EXPECT_EQ(unit_of({"--budget-kind", "calls"}), "calls");
  EXPECT_EQ(unit_of({"--factorial"}), "calls");
  EXPECT_EQ(unit_of({"--budget-kind", "evaluator_seconds", "--budget", "9"}),
            "evaluator seconds");
  EXPECT_EQ(GridIn(stark).budgets, std::vector<std::int64_t>{30});
}

TEST(InMemoryWordsTest, WhatCannotBePlayedIsTold) {
  const struct {
    Names more;
    const char* why;
  } kCases[] = {
      {{"--budget", "0"}, "--budget 0: expected whole numbers of attempts"},
      {{"--budget", "1000001"}, "1 to 1000000"},
      {{"--budget", "2.5", "--budget-kind", "calls"}, "whole numbers of calls"},
      {{"--budget", ","}, "--budget: expected a number"},
      {{"--seeds", "1000001"}, "--seeds 1000001: expected 1 to 1000000"},
      {{"--budget-kind", "dollars"}, "compare by attempts, calls or evaluator"},
      {{"--budget-kind", "attempts", "--factorial"}, "are of equal money by"},
      {{"--budget-kind", "evaluator_seconds"}, "--budget: say how many"},
      {{"lab.db", "--budget-kind", "calls"},
       "files keep scores in memory by attempts only; compare without lab.db"},
  };
  for (const auto& [more, why] : kCases) {
    Names words = {"--policies", "stark", "--tasks", "sim:hill/1"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_THAT(RefusedIn(words), HasSubstr(why));
  }
  EXPECT_THAT(RefusedIn({"--tasks", "sim:hill/1"}), HasSubstr("--policies"));
}

}  // namespace
}  // namespace coppice::cli
