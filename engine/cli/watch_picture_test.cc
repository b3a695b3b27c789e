#include "engine/cli/watch_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/documents/table.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ResultOf;
using ::testing::SizeIs;

store::Leader LeaderAt(std::int64_t node, double speedup, double half_width) {
  store::Leader leader;
  leader.line.node = NodeId{node};
  leader.line.parent = kRootNode;
  leader.line.verdict = Verdict::kPassed;
  leader.line.speedup = Around(speedup, half_width);
  leader.line.technique = "tile(i, 8)";
  return leader;
}

// 41 of 300 attempts in 82 s; node 37 leads, and 31 is told from it by nobody.
CampaignView Running() {
  CampaignView view;
  Standing& standing = view.standing;
  standing.row.spec.name = "gemm.xei.s1";
  standing.row.spec.task_name = "gemm";
  standing.row.spec.policy = "xei";
  standing.row.spec.seed = 1;
  standing.row.spec.budget_attempts = 300;
  standing.row.nodes = 42;
  standing.state = "running";
  standing.totals.verdicts[0] = 40;
  standing.totals.verdicts[2] = 1;
  view.elapsed_s = 82.0;
  view.leaders = {LeaderAt(37, 8.0, 0.02), LeaderAt(31, 7.95, 0.02),
                  LeaderAt(5, 2.0, 0.02)};
  standing.best = view.leaders[0].line;
  standing.rival = engine::RivalOf(view.leaders);
  view.improvements = {{NodeId{0}, 1.0}, {NodeId{5}, 2.0}, {NodeId{37}, 8.0}};
  view.in_flight = {
      {41, NodeId{37}, "xei", "exploit", Stage::kReserved, 990.0, "plan",
       "openai:m", 0.1},
      {42, NodeId{5}, "xei", "explore", Stage::kCoded, 995.0, "", "", 0.0}};
  view.happenings = {{2, 998.0, "committed", 41, "", Verdict::kCrashed, {}},
                     {1, 900.0, "created", {}, ""}};
  view.spend = {0.42, 0.1, 0.5, 2.0, 5.0};
  return view;
}

Canvas Wide() { return {.columns = 80, .rows = 0, .now_s = 1000.0}; }

// 2 / 300 s each of 82 / 41 = 2 s: 259 are left, 518 s are 8:38.
TEST(WatchPictureTest, SaysHowFarItIsAndWhatIsLeft) {
  const auto lines = PictureOf(Running(), Wide());
  EXPECT_EQ(lines[0], "gemm.xei.s1  running");
  EXPECT_EQ(lines[1], "task gemm, policy xei, seed 1");
  EXPECT_THAT(lines[2], AllOf(HasSubstr("attempts 41/300"),
                              HasSubstr("1:22 so far, about 8:38 left")));
  EXPECT_THAT(lines[3],
              HasSubstr("best 8.00x (95 % interval 7.84-8.16) at node "
                        "37, not told from node 31"));
}

TEST(WatchPictureTest, ALimitOfTimeEndsItEarlier) {
  CampaignView view = Running();
  view.standing.row.spec.budget_s = 100.0;  // 18 s after the 82.
  EXPECT_THAT(PictureOf(view, Wide())[2], HasSubstr("about 0:18 left"));
  view.standing.state = "interrupted";
  EXPECT_THAT(PictureOf(view, Wide())[2], Not(HasSubstr("left")));
}

TEST(WatchPictureTest, TellsOfLeadersAttemptsEventsAndMoney) {
  const auto lines = PictureOf(Running(), Wide());
  EXPECT_THAT(lines, Contains(HasSubstr("  1  node 37  8.00x (7.84-8.16)")));
  EXPECT_THAT(lines,
              Contains(HasSubstr("  2  node 31  7.95x (7.79-8.11)  ~  ")));
  EXPECT_THAT(lines, Contains("  decision 41  on node 37  asks plan  0:10"
                              "  openai:m"));
  EXPECT_THAT(lines, Contains("  decision 42  on node 5   is judged  0:05"
                              "  xei"));
  EXPECT_THAT(lines, Contains("  0:02 ago  committed node 41: crashed"));
  EXPECT_THAT(lines, Contains("verdicts: 40 passed, 1 crashed"));
  EXPECT_THAT(lines,
              Contains(HasSubstr("spent: $0.42 of $2.00, $0.10 at most on the "
                                 "way; today $0.50 of $5.00")));
}

// Seconds ago, and what it was; who took a decision over is nobody's to see.
TEST(WatchPictureTest, EachEventIsToldByItsKind) {
  CampaignView view = Running();
  view.happenings = {
      {9, 990.0, "adopted", 7, "host:123", {}, {}},
      {8, 980.0, "policy", 9, "greedy", {}, {}},
      {7, 970.0, "committed", 3, "", Verdict::kPassed, Around(2.0, 0.02)},
      {6, 960.0, "steered", {}, "pause", {}, {}}};
  const auto lines = PictureOf(view, Wide());
  for (const char* line : {"  0:10 ago  adopted decision 7",
                           "  0:20 ago  policy decision 9: greedy",
                           "  0:30 ago  committed node 3: 2.00x (1.96-2.04)",
                           "  0:40 ago  steered: pause"}) {
    EXPECT_THAT(lines, Contains(line));
  }
}

TEST(WatchPictureTest, AnAttemptIsToldByWhatItWaitsFor) {
  CampaignView view = Running();
  view.in_flight = {
      {43, NodeId{5}, "xei", "r", Stage::kPlanned, 940.0, "", "", 0.0},
      {44, NodeId{5}, "xei", "r", Stage::kCoded, 1'010.0, "", "", 0.0}};
  const auto lines = PictureOf(view, Wide());
  EXPECT_THAT(lines,
              Contains("  decision 43  on node 5  planned    1:00  xei"));
  // The clocks of two machines may differ.
  EXPECT_THAT(lines,
              Contains("  decision 44  on node 5  is judged  0:00  xei"));
}

// Nobody is near it, so nobody has the mark of that.
TEST(WatchPictureTest, ARootThatLeadsSaysSo) {
  CampaignView view = Running();
  view.leaders = {LeaderAt(0, 1.0, 0.02)};
  view.leaders[0].line.parent.reset();
  view.leaders[0].is_confirmed = true;
  EXPECT_THAT(PictureOf(view, Wide()),
              Contains("  1  node 0  1.00x (0.98-1.02)  confirmed  root"));
}

TEST(WatchPictureTest, MoneyIsToldAsFarAsThereAreCaps) {
  CampaignView view = Running();
  view.spend = {0.42, 0.0, 0.5, std::nullopt, std::nullopt};
  view.standing.totals.calls = 3;
  view.standing.totals.input_tokens = 100;
  view.standing.totals.output_tokens = 20;
  EXPECT_THAT(PictureOf(view, Wide()),
              Contains("spent: $0.42; today $0.50; 3 calls, 120 tokens"));
}

TEST(WatchPictureTest, WhatFailedThroughoutHasNoBest) {
  CampaignView view = Running();
  view.standing.best.reset();
  view.improvements.clear();
  const auto lines = PictureOf(view, Wide());
  EXPECT_THAT(lines, Contains("best: nothing passed yet"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("1x ▏"))));
}

// Without an attempt nobody knows how long they take; over its limit of time it
// has none left.
TEST(WatchPictureTest, TimeThatIsLeftIsKnownOrNotTold) {
  CampaignView view = Running();
  view.standing.row.nodes = 1;
  EXPECT_THAT(PictureOf(view, Wide())[2],
              AllOf(HasSubstr("attempts 0/300"), Not(HasSubstr("left"))));
  view = Running();
  view.standing.row.spec.budget_s = 60.0;
  EXPECT_THAT(PictureOf(view, Wide())[2], HasSubstr("about 0:00 left"));
}

// A scale takes 8 cells, and less than 8 for the curve show nothing.
TEST(WatchPictureTest, ANarrowTerminalHasNoCurve) {
  const auto has_curve = [](int columns) {
    const auto lines =
        PictureOf(Running(), {.columns = columns, .rows = 0, .now_s = 1000.0});
    return std::ranges::any_of(lines, [](const std::string& line) {
      return line.find("▏") != line.npos && line.find("1x") != line.npos;
    });
  };
  EXPECT_FALSE(has_curve(15));
  EXPECT_TRUE(has_curve(16));
}

TEST(WatchPictureTest, NoLineIsWiderThanTheTerminalNorThePictureHigher) {
  CampaignView view = Running();
  view.standing.row.spec.name = std::string(200, 'n');
  view.leaders[0].line.technique = std::string(300, 't');
  for (const int columns : {1, 9, 20, 40, 60, 80, 200}) {
    for (const int rows : {1, 2, 5, 10, 24, 60}) {
      const Canvas canvas{.columns = columns, .rows = rows, .now_s = 1000.0};
      const auto lines = PictureOf(view, canvas);
      EXPECT_LE(lines.size(), static_cast<std::size_t>(rows));
      for (const std::string& line : lines) {
        EXPECT_LE(DisplayWidth(line), static_cast<std::size_t>(columns))
            << line;
      }
    }
  }
}

// 24 rows are those of a terminal as it opens.
TEST(WatchPictureTest, In24RowsNothingIsMissing) {
  const auto lines =
      PictureOf(Running(), {.columns = 80, .rows = 24, .now_s = 1000.0});
  EXPECT_THAT(lines, Contains(HasSubstr("1x ▏")));
  EXPECT_THAT(lines, Contains("leaders"));
  EXPECT_THAT(lines, Contains("in flight"));
  EXPECT_THAT(lines, Contains("events, newest first"));
  EXPECT_THAT(lines, Contains(HasSubstr("spent: ")));
}

TEST(WatchPictureTest, WhatHasNoRoomIsCounted) {
  CampaignView view = Running();
  for (int i = 0; i < 30; ++i) view.happenings.push_back(view.happenings[1]);
  const auto lines =
      PictureOf(view, {.columns = 80, .rows = 24, .now_s = 1000.0});
  EXPECT_THAT(lines, SizeIs(24));
  EXPECT_THAT(lines, Contains(HasSubstr("events, newest first (")));
}

TEST(WatchPictureTest, NoStoredTextSteersTheTerminal) {
  CampaignView view = Running();
  const std::string hostile =
      "\033[2J\033]0;x\007\r\nb\xE2\x80\xAE\xC2\x9B"
      "1m";
  view.standing.row.spec.name = hostile;
  view.standing.row.spec.task_name = hostile;
  view.standing.row.spec.policy = hostile;
  view.leaders[0].line.technique = hostile;
  view.in_flight[0].model = hostile;
  view.in_flight[0].role = hostile;
  view.in_flight[1].policy = hostile;
  view.happenings[0].kind = hostile;
  view.happenings[0].detail = hostile;
  for (const std::string& line : PictureOf(view, Wide())) {
    EXPECT_EQ(line.find_first_of("\033\007\r\n"), std::string::npos) << line;
    EXPECT_EQ(line.find("\xE2\x80\xAE"), std::string::npos) << line;
    EXPECT_EQ(line.find("\xC2\x9B"), std::string::npos) << line;
  }
}

TEST(WatchPictureTest, ColoursOnlyWhereTheyAreWanted) {
  Canvas canvas = Wide();
  EXPECT_THAT(PictureOf(Running(), canvas), Each(Not(HasSubstr("\033"))));
  canvas.colour = true;
  EXPECT_EQ(PictureOf(Running(), canvas)[0],
            "gemm.xei.s1  \033[32mrunning\033[0m");
}

TEST(WatchPictureTest, BeforeTheRootIsMeasuredItSaysSo) {
  CampaignView view;
  view.standing.state = "running";
  view.standing.row.spec.name = "a";
  EXPECT_THAT(PictureOf(view, Wide()), Contains("best: no root yet"));
}

// Two rows have 8 steps each.  1x has the least of 16; 2x lies half way to 4x
// by logarithms, at 1 + 7.5, rounded: 9.
TEST(WatchPictureTest, ACurveRisesByLogarithms) {
  const std::vector<store::Improvement> steps = {
      {NodeId{0}, 1.0}, {NodeId{1}, 2.0}, {NodeId{3}, 4.0}};
  EXPECT_THAT(CurveOf(steps, 3, 4, 2, true), ElementsAre(" ▁▁█", "▁███"));
  EXPECT_THAT(CurveOf(steps, 3, 4, 2, false), ElementsAre(" ..#", "####"));
  EXPECT_THAT(CurveOf({{NodeId{0}, 1.0}}, 0, 3, 2, true),
              ElementsAre("", "▁▁▁"));
  EXPECT_THAT(CurveOf({}, 5, 3, 1, true), ElementsAre("▁▁▁"));
}

TEST(WatchPictureTest, OfManyThoseThatRunComeFirst) {
  Standing finished = Running().standing;
  finished.row.spec.name = "old";
  finished.state = "finished";
  const auto lines = PictureOf({finished, Running().standing}, Wide());
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], "2 campaigns");
  EXPECT_THAT(lines[1], HasSubstr("  gemm.xei.s1  running "));
  EXPECT_THAT(lines[1], HasSubstr("  41/300  8.00x (7.84-8.16)  node 37 ~  "));
  EXPECT_THAT(lines[2], HasSubstr("  old          finished"));
}

}  // namespace
}  // namespace coppice::cli
