#include "engine/compare/grid_display.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/campaign/outages.h"

namespace coppice::engine {
namespace {

class GridClock final : public Clock {
 public:
  double UnixSeconds() const override { return 1e9 + now_s; }
  double Monotonic() const override { return now_s; }
  double now_s = 100.0;
};

const Cell kCellOfDisplay{"stark.alone", "gemv", 3};

class GridDisplayTest : public testing::Test {
 protected:
  // What was written since.
  std::string Said() {
    std::string text = out_.str();
    out_.str("");
    return text;
  }

  static Progress After(std::int64_t attempts) {
    Progress progress;
    progress.campaign = "compare.gemv.stark.alone.s3";
    progress.attempts = attempts;
    progress.budget_attempts = 30;
    return progress;
  }

  GridClock clock_;
  std::ostringstream out_;
};

// 8 campaigns, of which 2 were done before this run: 3 took 60 s, so the other
// 3 take as long again.
TEST_F(GridDisplayTest, EachThatEndsIsALineWithTheTimeThatIsLeft) {
  GridDisplay display(out_, Surface::kPlain, clock_);
  clock_.now_s += 60.0;
  display.OnCell(kCellOfDisplay, 1.5, {8, 5, 3});
  EXPECT_EQ(Said(), "5/8 gemv, stark.alone, seed 3: 1.50x, about 1:00 left\n");
  display.OnCell(kCellOfDisplay, 2.0, {8, 8, 6});
  EXPECT_EQ(Said(), "8/8 gemv, stark.alone, seed 3: 2.00x\n");
}

// Before the first of this run has ended nobody can tell.
TEST_F(GridDisplayTest, WithoutOneThatEndedHereNoTimeIsTold) {
  GridDisplay display(out_, Surface::kPlain, clock_);
  clock_.now_s += 60.0;
  display.OnCell(kCellOfDisplay, 1.0, {8, 2, 0});
  EXPECT_EQ(Said(), "2/8 gemv, stark.alone, seed 3: 1.00x\n");
}

TEST_F(GridDisplayTest, OnlyATerminalFollowsEachAttempt) {
  for (const Surface surface : {Surface::kPlain, Surface::kNone}) {
    GridDisplay display(out_, surface, clock_);
    display.OnCommit(kCellOfDisplay, After(4), {8, 1, 1});
    EXPECT_EQ(Said(), "");
  }
  GridDisplay display(out_, Surface::kTerminal, clock_);
  clock_.now_s += 10.0;
  display.OnCommit(kCellOfDisplay, After(4), {8, 1, 1});
  EXPECT_EQ(Said(),
            "\r\x1b[K1/8 campaigns, about 1:10 left; gemv, stark.alone, seed "
            "3: 4/30 attempts, no failures");
}

// Ten times a second is as often as an eye can follow.
TEST_F(GridDisplayTest, ALineIsRewrittenTenTimesASecondAtMost) {
  GridDisplay display(out_, Surface::kTerminal, clock_);
  display.OnCommit(kCellOfDisplay, After(1), {8, 0, 0});
  EXPECT_NE(Said(), "");
  clock_.now_s += 0.05;
  display.OnCommit(kCellOfDisplay, After(2), {8, 0, 0});
  EXPECT_EQ(Said(), "");
  clock_.now_s += 0.06;
  display.OnCommit(kCellOfDisplay, After(3), {8, 0, 0});
  EXPECT_NE(Said().find("3/30 attempts"), std::string::npos);
}

TEST_F(GridDisplayTest, WhatIsSaidBetweenTakesTheLinesPlace) {
  GridDisplay display(out_, Surface::kTerminal, clock_);
  display.OnCommit(kCellOfDisplay, After(1), {8, 0, 0});
  Said();
  display.OnCell(kCellOfDisplay, 1.0, {8, 8, 1});
  EXPECT_EQ(Said(), "\r\x1b[K8/8 gemv, stark.alone, seed 3: 1.00x\n");
  display.Close();  // Nothing is shown any more.
  EXPECT_EQ(Said(), "");
  clock_.now_s += 1.0;
  display.OnCommit(kCellOfDisplay, After(2), {8, 0, 0});
  Said();
  display.OnOutage({"x.db: locked\x1b[2J by another process", 5.0, false, {}});
  const std::string outage = Said();
  EXPECT_TRUE(outage.starts_with("\r\x1b[Kx.db: locked")) << outage;
  EXPECT_EQ(outage.find("\x1b[2J"), std::string::npos);
}

TEST_F(GridDisplayTest, ANarrowTerminalHasOneLineAllTheSame) {
  GridDisplay display(out_, Surface::kTerminal, clock_, [] { return 20; });
  display.OnCommit(kCellOfDisplay, After(1), {8, 0, 0});
  // Three cells are left free, and two escapes are before it.
  EXPECT_LE(Said().size(), std::string("\r\x1b[K").size() + 17 + 3);
}

// Names are those of a file, which may be somebody else's.
TEST_F(GridDisplayTest, ANameCannotSteerTheTerminal) {
  GridDisplay display(out_, Surface::kPlain, clock_);
  display.OnCell({"st\x1b[2Jark", "ge\nmv", 3}, 1.5, {8, 8, 1});
  EXPECT_EQ(Said(), "8/8 ge mv, st?[2Jark, seed 3: 1.50x\n");
}

TEST_F(GridDisplayTest, WithoutASurfaceNoCampaignIsALine) {
  GridDisplay display(out_, Surface::kNone, clock_);
  display.OnCell(kCellOfDisplay, 1.5, {8, 5, 3});
  display.Close();
  EXPECT_EQ(Said(), "");
}

}  // namespace
}  // namespace coppice::engine
