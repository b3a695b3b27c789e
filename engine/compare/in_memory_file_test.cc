#include "engine/compare/in_memory_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "search/landscapes/task_law.h"
#include "store/records/node.h"
#include "store/scratch.h"

namespace coppice::engine {
namespace {

using store::Must;
using testing::ElementsAre;
using testing::IsEmpty;

class WriterClock final : public Clock {
 public:
  double UnixSeconds() const override { return 0.0; }
  double Monotonic() const override { return now_s; }
  double now_s = 100.0;
};

const std::vector<store::Digest> kAsItIs = {store::Sha256("hill/1")};

InMemoryGrid Grid(const std::vector<std::string>& policies,
                  std::uint64_t first_seed, std::size_t seeds,
                  const std::vector<std::int64_t>& budgets) {
  InMemoryGrid grid{policies, {"hill/1"}, {}, budgets};
  grid.seeds.resize(seeds);
  std::iota(grid.seeds.begin(), grid.seeds.end(), first_seed);
  return grid;
}

class InMemoryFileTest : public testing::Test {
 protected:
  InMemoryFile Enter(const InMemoryGrid& grid,
                     const std::vector<store::Digest>& definitions = kAsItIs) {
    return Must(InMemoryFile::Enter(database_, grid, definitions, clock_));
  }

  // Plays what is missing and returns of how many campaigns that was; stops,
  // and loses what is not written, after so many blocks.
  std::size_t Play(const InMemoryGrid& grid, int blocks = 1 << 30) {
    InMemoryFile file = Enter(grid);
    InMemoryScores scores(grid);
    Must(file.Load(scores));
    std::size_t played = 0;
    std::atomic<bool> draining{false};
    const auto keep = [&](const PlayedInMemory& some) {
      played += some.seeds.size();
      clock_.now_s += 0.6;  // So every second block is written.
      draining = --blocks == 0;
      return file.Keep(scores, some);
    };
    Must(PlayInMemory({*search::CalibratedLaw("hill/1")}, 1, draining, scores,
                      keep));
    if (!draining) Must(file.Flush());
    return played;
  }

  std::vector<store::SeriesRow> Rows() {
    return Must(store::SeriesScores(database_).List());
  }
  std::string Fingerprint(store::Database& database) {
    return *Must(store::SeriesScores(database).Fingerprint());
  }

  store::ScratchDirectory directory_;
  store::Database database_ = store::NewFile(directory_.File("x.db"));
  WriterClock clock_;
};

// Blocks of 50 seeds: six in all, of which the third was not written.
TEST_F(InMemoryFileTest, WhatWasWrittenBeforeADeathIsNotPlayedAgain) {
  const InMemoryGrid grid = Grid({"stark", "greedy"}, 1, 150, {5, 20});
  EXPECT_EQ(Play(grid, 3), 150u);
  EXPECT_EQ(Play(grid), 200u);
  EXPECT_EQ(Play(grid), 0u);
  store::Database whole = store::NewFile(directory_.File("whole.db"));
  std::swap(database_, whole);
  EXPECT_EQ(Play(grid), 300u);
  EXPECT_EQ(Fingerprint(database_), Fingerprint(whole));
}

TEST_F(InMemoryFileTest, AFileGoesOnWithAllThatWasAskedOfIt) {
  Play(Grid({"stark"}, 11, 2, {5}), 1);
  Enter(Grid({"greedy", "stark"}, 1, 2, {20}));
  const InMemoryGrid all = GridOfSeries(Rows());
  EXPECT_THAT(all.policies, ElementsAre("stark", "greedy"));
  EXPECT_THAT(all.landscapes, ElementsAre("hill/1"));
  EXPECT_THAT(all.seeds, ElementsAre(1, 2, 11, 12));
  EXPECT_THAT(all.budgets, ElementsAre(5, 20));
  EXPECT_EQ(Play(all), 2u * 4u);
}

// Another budget plays the same campaigns; another policy and seed only theirs.
TEST_F(InMemoryFileTest, PoliciesSeedsAndBudgetsAddToWhatIsThere) {
  EXPECT_EQ(Play(Grid({"stark"}, 1, 10, {20})), 10u);
  EXPECT_EQ(Play(Grid({"stark", "greedy"}, 1, 10, {20})), 10u);
  EXPECT_EQ(Play(Grid({"stark", "greedy"}, 1, 11, {20})), 2u);
  EXPECT_EQ(Play(Grid({"stark", "greedy"}, 1, 11, {5})), 22u);
  EXPECT_EQ(Play(Grid({"stark", "greedy"}, 1, 11, {5, 20})), 0u);
}

TEST_F(InMemoryFileTest, ALandscapeThatIsAnotherByNowIsPlayedAnew) {
  const InMemoryGrid grid = Grid({"stark"}, 1, 10, {20});
  Play(grid);
  EXPECT_THAT(Enter(grid).FindOthers(Rows()), IsEmpty());
  InMemoryFile file = Enter(grid, {store::Sha256("steeper")});
  EXPECT_THAT(file.FindOthers(Rows()), ElementsAre("hill/1"));
  EXPECT_TRUE(file.IsByOther("hill/1", kAsItIs[0]));
  EXPECT_FALSE(file.IsByOther("hill/1", store::Sha256("steeper")));
  EXPECT_FALSE(file.IsByOther("nk/1", kAsItIs[0]));
  InMemoryScores scores(grid);
  Must(file.Load(scores));
  EXPECT_EQ(scores.CountMissing(), 10);
}

// A report needs no landscape, only what was entered last.
TEST_F(InMemoryFileTest, AReportIsOfWhatWasEnteredLast) {
  const InMemoryGrid grid = Grid({"stark"}, 1, 10, {20});
  Play(grid);
  InMemoryScores scores(grid);
  Must(InMemoryFile::Find(database_, grid, Rows(), clock_).Load(scores));
  EXPECT_EQ(scores.CountMissing(), 0);
  Enter(grid, {store::Sha256("steeper")});
  InMemoryScores others(grid);
  Must(InMemoryFile::Find(database_, grid, Rows(), clock_).Load(others));
  EXPECT_EQ(others.CountMissing(), 10);
}

}  // namespace
}  // namespace coppice::engine
