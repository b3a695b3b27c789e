#include "engine/compare/grid_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/provider/test_timer.h"
#include "config/load.h"
#include "engine/campaign/process_lock.h"
#include "engine/compare/grid_settings.h"
#include "engine/compare/score.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Notes what ends, and asks to stop after so many commits.
class Noting final : public GridObserver {
 public:
  explicit Noting(std::atomic<bool>& drain) : drain_(drain) {}

  void OnCommit(const Cell&, const Progress&, const GridProgress&) override {
    if (++commits == stop_after) drain_ = true;
  }
  void OnCell(const Cell& cell, double speedup,
              const GridProgress& grid) override {
    ended.push_back(cell.policy + " s" + std::to_string(cell.seed));
    speedups[ended.back()] = speedup;
    last = grid;
  }

  int commits = 0;
  int stop_after = -1;
  std::vector<std::string> ended;
  std::map<std::string, double> speedups;
  GridProgress last;

 private:
  std::atomic<bool>& drain_;
};

// Two policies with two seeds on a landscape, of six attempts each.
class GridRunTest : public testing::Test {
 protected:
  config::Loaded Settled() {
    config::Surroundings surroundings;
    surroundings.environment["HOME"] = directory_.File("home").string();
    surroundings.data_directory = std::string(COPPICE_SOURCE_DIR) + "/data";
    surroundings.trusts_folder = false;
    config::Loaded loaded = Must(
        config::Load(surroundings, std::nullopt, {{"db", path_.string()}}));
    Must(Settle(grid_, Must(store::Campaigns(database_).List()), loaded));
    return loaded;
  }

  // All of the grid, by so many threads.
  Result<GridRun::Ending> Run(int side_by_side = 1) {
    const config::Loaded loaded = Settled();
    const auto make = [&] {
      return CampaignFactory::Make(loaded, "", clock_, drain_, &outages_);
    };
    const auto factory = Must(make());
    GridRun run(grid_, path_, make, outages_, noting_);
    TRY_DONE(run.Begin(*factory, database_));
    auto ending = run.Run(side_by_side);
    cap_reached_ = run.cap_reached();
    return ending;
  }

  std::vector<std::string> Campaigns() {
    return store::Rows(database_,
                       "SELECT campaign, attempts, state FROM campaigns");
  }

  store::ScratchDirectory directory_;
  const std::filesystem::path path_ = directory_.File("x.db");
  store::Database database_ = store::NewFile(path_);
  SystemClock clock_;
  agents::FakeTimer timer_;
  std::atomic<bool> drain_ = false;
  Outages outages_{timer_, drain_};
  Noting noting_{drain_};
  Grid grid_{{"greedy", "best_of_k"},
             {"sim:basic"},
             {1, 2},
             {BudgetKind::kAttempts, 6.0}};
  std::string cap_reached_;
};

TEST_F(GridRunTest, EachCampaignIsRunToItsEndOnce) {
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDone);
  EXPECT_THAT(noting_.ended, ElementsAre("greedy s1", "best_of_k s1",
                                         "greedy s2", "best_of_k s2"));
  EXPECT_EQ(noting_.last.cells, 4);
  EXPECT_EQ(noting_.last.done, 4);
  EXPECT_EQ(noting_.last.done_here, 4);
  EXPECT_THAT(Campaigns(),
              ElementsAre("compare.sim:basic.greedy.s1|6|finished",
                          "compare.sim:basic.best_of_k.s1|6|finished",
                          "compare.sim:basic.greedy.s2|6|finished",
                          "compare.sim:basic.best_of_k.s2|6|finished"));
  // Again there is nothing to do, and nobody is told of an end.
  noting_.ended.clear();
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDone);
  EXPECT_THAT(noting_.ended, IsEmpty());
}

// What was shown is what a report reads from the file.
TEST_F(GridRunTest, TheSpeedupsThatAreShownAreThoseOfTheReport) {
  Must(Run());
  const auto scores = Must(
      ReadScores(database_, Must(store::Campaigns(database_).List()), grid_));
  EXPECT_THAT(scores.missing, IsEmpty());
  ASSERT_EQ(scores.scores.size(), 4u);
  for (const lab::Score& score : scores.scores) {
    const std::string name = score.policy + " s" + std::to_string(score.seed);
    EXPECT_DOUBLE_EQ(noting_.speedups.at(name), std::exp(score.log_speedup));
  }
}

TEST_F(GridRunTest, SideBySideTheSameComesOfIt) {
  Must(Run());
  const auto alone = noting_.speedups;
  const std::filesystem::path other = directory_.File("y.db");
  store::Database database = store::NewFile(other);
  Noting noting(drain_);
  const config::Loaded loaded = Settled();
  const auto make = [&] {
    return CampaignFactory::Make(loaded, "", clock_, drain_, &outages_);
  };
  const auto factory = Must(make());
  GridRun run(grid_, other, make, outages_, noting);
  Must(run.Begin(*factory, database));
  ASSERT_EQ(Must(run.Run(3)), GridRun::Ending::kDone);
  EXPECT_EQ(noting.speedups, alone);
  EXPECT_EQ(noting.ended.size(), 4u);
}

TEST_F(GridRunTest, WhoStopsItGoesOnWithTheSameCommand) {
  noting_.stop_after = 4;
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDrained);
  EXPECT_THAT(noting_.ended, IsEmpty());
  // The file knows the whole grid all the same.
  EXPECT_EQ(Campaigns().size(), 4u);
  drain_ = false;
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDone);
  EXPECT_EQ(noting_.ended.size(), 4u);
  EXPECT_THAT(store::Rows(database_, "SELECT sum(attempts) FROM campaigns"),
              ElementsAre("24"));
}

TEST_F(GridRunTest, StoppedBeforeItBeginsItRunsNothing) {
  drain_ = true;
  ASSERT_EQ(Must(Run(2)), GridRun::Ending::kDrained);
  EXPECT_EQ(noting_.commits, 0);
  EXPECT_EQ(Campaigns().size(), 4u);
}

TEST_F(GridRunTest, AGridGrowsByPoliciesSeedsAndAttempts) {
  Must(Run());
  noting_.ended.clear();
  grid_.policies.push_back("stark");
  grid_.budget.amount = 8.0;
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDone);
  EXPECT_EQ(noting_.ended.size(), 6u);
  EXPECT_THAT(store::Rows(database_, "SELECT DISTINCT attempts FROM campaigns"),
              ElementsAre("8"));
}

// A smaller one takes nothing from what is there.
TEST_F(GridRunTest, ASmallerBudgetLeavesCampaignsAsTheyAre) {
  Must(Run());
  grid_.budget.amount = 3.0;
  ASSERT_EQ(Must(Run()), GridRun::Ending::kDone);
  EXPECT_THAT(store::Rows(database_,
                          "SELECT DISTINCT attempts, budget_attempts"
                          " FROM campaigns"),
              ElementsAre("6|6"));
}

TEST_F(GridRunTest, ACampaignOfNoComparisonIsNotTakenForOne) {
  store::CampaignSpec spec =
      store::SpecNamed(CampaignName(CellsOf(grid_).front(), grid_.budget));
  Must(store::Campaigns(database_).Create(spec));
  const auto refused = Run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(refused.error().what,
              HasSubstr("is a campaign of no comparison"));
  EXPECT_EQ(Campaigns().size(), 1u);  // All of the grid, or none of it.
}

TEST_F(GridRunTest, ATaskThatIsNotThereBeginsNothing) {
  grid_.tasks.push_back("sim:none");
  const auto refused = Run();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_THAT(Campaigns(), IsEmpty());
}

// Another process has the first of them: it comes last, and by then is free.
TEST_F(GridRunTest, WhatAnotherProcessRunsComesLast) {
  const config::Loaded loaded = Settled();
  const auto make = [&] {
    return CampaignFactory::Make(loaded, "", clock_, drain_, &outages_);
  };
  const auto factory = Must(make());
  class Freeing final : public GridObserver {
   public:
    void OnCommit(const Cell&, const Progress&, const GridProgress&) override {}
    void OnCell(const Cell& cell, double, const GridProgress&) override {
      ended.push_back(cell.policy + " s" + std::to_string(cell.seed));
      if (ended.size() == 3) claim.reset();
    }
    std::optional<ProcessLock> claim;
    std::vector<std::string> ended;
  } freeing;
  GridRun run(grid_, path_, make, outages_, freeing);
  Must(run.Begin(*factory, database_));
  freeing.claim = Must(ProcessLock::TryClaim(path_, CampaignId{1}));
  ASSERT_TRUE(freeing.claim);
  ASSERT_EQ(Must(run.Run(1)), GridRun::Ending::kDone);
  EXPECT_THAT(freeing.ended, ElementsAre("best_of_k s1", "greedy s2",
                                         "best_of_k s2", "greedy s1"));
}

}  // namespace
}  // namespace coppice::engine
