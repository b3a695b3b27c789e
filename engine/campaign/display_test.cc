#include "engine/campaign/display.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>

#include "engine/campaign/short_text.h"
#include "engine/process/clock.h"
#include "engine/process/terminal_text.h"
#include "store/records/node.h"

namespace coppice::engine {
namespace {

class FakeClock final : public Clock {
 public:
  double UnixSeconds() const override { return 0.0; }
  double Monotonic() const override { return now_s; }
  double now_s = 100.0;
};

Progress TwoOfThree() {
  Progress progress;
  progress.campaign = "gemm";
  progress.attempts = 2;
  progress.budget_attempts = 3;
  progress.root_runtime_s = 0.010;
  return progress;
}

NodeRecord Passed(std::int64_t id, double runtime_s, std::string technique) {
  NodeRecord node;
  node.id = NodeId{id};
  node.evaluation.verdict = Verdict::kPassed;
  node.evaluation.runtime_s = runtime_s;
  node.plan.emplace().technique = std::move(technique);
  return node;
}

TEST(DisplayTest, DurationsHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(DurationText(3.7e-7), "0.37 us");
  EXPECT_EQ(DurationText(0.0125), "12.5 ms");
  EXPECT_EQ(DurationText(3.2), "3.20 s");
}

TEST(DisplayTest, StatusNamesBestFailuresAndTimeLeft) {
  Progress progress = TwoOfThree();
  EXPECT_EQ(StatusText(progress), "2/3 attempts, no failures");
  progress.best = NodeId{9};
  progress.best_speedup = {8.314, Interval{8.0, 8.6}};
  progress.verdicts[static_cast<std::size_t>(Verdict::kPassed)] = 5;
  progress.verdicts[static_cast<std::size_t>(Verdict::kCompileFailed)] = 2;
  progress.verdicts[static_cast<std::size_t>(Verdict::kCrashed)] = 1;
  progress.left_s = 74.2;
  EXPECT_EQ(StatusText(progress),
            "2/3 attempts, best 8.31x (8.00-8.60) at node 9, 2 compile_failed "
            "1 crashed, 1:14 left");
  progress.left_s = 3723.0;
  EXPECT_TRUE(StatusText(progress).ends_with("1:02:03 left"));
}

TEST(DisplayTest, ProgramsGetEachEventAsALineOfJson) {
  const FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kJson, clock);
  Progress progress = TwoOfThree();
  progress.best = NodeId{1};
  progress.best_speedup = {2.0, Interval{1.5, 2.5}};
  display.OnCommit(progress, Passed(2, 0.005, "unroll"));
  display.OnConfirm(progress, NodeId{1});
  display.Say("a \"line\"\nof \xff");
  EXPECT_EQ(out.str(),
            R"({"event":"node","campaign":"gemm","attempts":2,"of":3,)"
            R"("node":2,"verdict":"passed","best_node":1,"best_speedup":2.0,)"
            R"("best_low":1.5,"best_high":2.5,"left_s":null,"elapsed_s":0.0})"
            "\n"
            R"({"event":"confirm","campaign":"gemm","node":1})"
            "\n"
            R"({"event":"said","text":"a \"line\"\nof )"
            "\xEF\xBF\xBD\"}\n");
}

TEST(DisplayTest, PlainPrintsEachNewBestAndOneStatusInTenSeconds) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kPlain, clock);
  Progress progress = TwoOfThree();
  progress.best = NodeId{1};
  progress.best_speedup = {2.0, Interval{1.9, 2.1}};
  display.OnCommit(progress, Passed(1, 0.005, "tile(i, 32)"));
  display.OnCommit(progress, Passed(2, 0.007, "unroll"));
  EXPECT_EQ(
      out.str(),
      "gemm: node 1 is 2.00x (1.90-2.10), tile(i, 32)\n"
      "gemm: 2/3 attempts, best 2.00x (1.90-2.10) at node 1, no failures\n");
  clock.now_s += 11.0;
  display.OnCommit(progress, Passed(2, 0.007, "unroll"));
  EXPECT_TRUE(out.str().ends_with(
      "gemm: 2/3 attempts, best 2.00x (1.90-2.10) at node 1, no failures\n"
      "gemm: 2/3 attempts, best 2.00x (1.90-2.10) at node 1, no failures\n"));
  EXPECT_EQ(out.str().find('\033'), std::string::npos);
}

TEST(DisplayTest, TerminalRewritesOneLineAndEndsIt) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kTerminal, clock);
  const Progress progress = TwoOfThree();
  display.OnCommit(progress, Passed(2, 0.02, ""));
  EXPECT_EQ(out.str(), "\r\033[Kgemm: 2/3 attempts, no failures");
  display.Close();
  EXPECT_TRUE(out.str().ends_with("no failures\n"));
}

// A name of 22 cells with its colon, 34 of attempts and best, 11 of the time;
// the interval takes 12 more.
TEST(DisplayTest, ANarrowTerminalLosesWhatMattersLeast) {
  Progress progress = TwoOfThree();
  progress.campaign = "gemm_square.xei_b.s1";
  progress.best = NodeId{9};
  progress.best_speedup = {8.314, Interval{8.0, 8.6}};
  progress.verdicts[static_cast<std::size_t>(Verdict::kCompileFailed)] = 12;
  progress.left_s = 74.2;
  const std::string name = "gemm_square.xei_b.s1: ";
  const std::string count = "2/3 attempts, best 8.31x at node 9";
  EXPECT_EQ(StatusLine(progress, 98),
            name +
                "2/3 attempts, best 8.31x (8.00-8.60) at node 9, 12 "
                "compile_failed, 1:14 left");
  EXPECT_EQ(StatusLine(progress, 97),
            name + count + ", 1:14 left, 12 failures");
  EXPECT_EQ(StatusLine(progress, 80),
            name + count + ", 1:14 left, 12 failures");
  EXPECT_EQ(StatusLine(progress, 79), name + count + ", 1:14 left");
  EXPECT_EQ(StatusLine(progress, 60),
            "gemm_squar...: " + count + ", 1:14 left");
  EXPECT_EQ(StatusLine(progress, 45), count + ", 1:14 left");
  EXPECT_EQ(StatusLine(progress, 20), "2/3 attempts, bes...");
  progress.verdicts[static_cast<std::size_t>(Verdict::kCompileFailed)] = 1;
  EXPECT_EQ(StatusLine(progress, 79), name + count + ", 1:14 left, 1 failure");
  for (std::size_t width = 1; width < 90; ++width) {
    EXPECT_LE(DisplayWidth(StatusLine(progress, width)), width);
  }
}

TEST(DisplayTest, WhatIsDoneHasNoTimeLeft) {
  Progress progress = TwoOfThree();
  progress.left_s = 0.2;
  EXPECT_EQ(StatusText(progress), "2/3 attempts, no failures, 0:00 left");
  progress.attempts = 3;
  EXPECT_EQ(StatusText(progress), "3/3 attempts, no failures");
}

TEST(DisplayTest, TheLineFollowsTheTerminalsWidth) {
  FakeClock clock;
  std::ostringstream out;
  int columns = 60;
  Display display(out, Surface::kTerminal, clock, [&] { return columns; });
  Progress progress = TwoOfThree();
  progress.campaign = std::string(40, 'n');
  display.OnCommit(progress, Passed(2, 0.02, ""));
  EXPECT_EQ(out.str(), "\r\033[K" + std::string(40, 'n') + ": 2/3 attempts");
  out.str("");
  columns = 18;  // Three of them stay free.
  clock.now_s += 1.0;
  display.OnCommit(progress, Passed(2, 0.02, ""));
  EXPECT_EQ(out.str(), "\r\033[K2/3 attempts");
  display.OnConfirm(progress, NodeId{1});
  EXPECT_TRUE(out.str().ends_with("\r\033[Knnnnnnnnnnnn..."));
}

TEST(DisplayTest, OnlyATerminalCountsTheTokensOfAnswersThatCome) {
  FakeClock clock;
  Progress progress = TwoOfThree();
  progress.answers_coming = 1;
  progress.tokens_come = 40;
  std::ostringstream plain;
  Display(plain, Surface::kPlain, clock).OnTokens(progress);
  EXPECT_EQ(plain.str(), "");
  std::ostringstream out;
  Display display(out, Surface::kTerminal, clock);
  display.OnTokens(progress);
  EXPECT_EQ(out.str(),
            "\r\033[Kgemm: 2/3 attempts, no failures, "
            "1 answer coming: 40 tokens");
  clock.now_s += 0.05;  // Too soon for another look.
  display.OnTokens(progress);
  EXPECT_EQ(out.str().find("40"), out.str().rfind("40"));
  clock.now_s += 0.06;
  progress.answers_coming = 2;
  progress.tokens_come = 70;
  display.OnTokens(progress);
  EXPECT_TRUE(out.str().ends_with(", 2 answers coming: 70 tokens"));
}

TEST(DisplayTest, SaysWhatIsPutOffAndWhy) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kPlain, clock);
  display.OnUnanswered(TwoOfThree(), 7, {Errc::kUnanswered, "no line"});
  EXPECT_EQ(out.str(), "gemm: decision 7 is put off: no line\n");
}

// A server may answer with what would turn a terminal's title or colours.
TEST(DisplayTest, ControlCharactersOfAServerReachNoTerminal) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kTerminal, clock);
  display.OnUnanswered(TwoOfThree(), 7,
                       {Errc::kUnanswered, "\x1b]0;owned\x07"});
  EXPECT_EQ(out.str(), "gemm: decision 7 is put off: ?]0;owned?\n");
}

TEST(DisplayTest, WithoutASurfaceNothingIsSaid) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kNone, clock);
  display.OnCommit(TwoOfThree(), Passed(2, 0.02, ""));
  display.OnUnanswered(TwoOfThree(), 7, {Errc::kUnanswered, "no line"});
  display.Close();
  EXPECT_EQ(out.str(), "");
}

// Nothing else happens meanwhile, so somebody may look.
TEST(DisplayTest, AnOutageIsToldWithoutASurfaceToo) {
  FakeClock clock;
  for (const Surface surface : {Surface::kNone, Surface::kPlain}) {
    std::ostringstream out;
    Display display(out, surface, clock);
    display.OnOutage({.what = "x.db: locked", .lasts_s = 70});
    EXPECT_TRUE(out.str().starts_with("x.db: locked; waiting for 1:10 now"))
        << out.str();
  }
  std::ostringstream json;
  Display(json, Surface::kJson, clock).OnOutage({.what = "x.db: locked"});
  EXPECT_TRUE(json.str().starts_with(
      R"({"event":"said","text":"x.db: locked; waiting)"))
      << json.str();
}

TEST(DisplayTest, TheRootTellsHowLongItRuns) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kPlain, clock);
  display.OnCommit(TwoOfThree(), Passed(0, 0.01, ""));
  EXPECT_EQ(out.str(), "gemm: root runs in 10 ms\n");
}

// Its interval reaches below the root's 1.
TEST(DisplayTest, ABestThatIsNotToldApartSaysSo) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kPlain, clock);
  Progress progress = TwoOfThree();
  progress.best = NodeId{2};
  progress.best_speedup = {1.1, Interval{0.9, 1.3}};
  display.OnCommit(progress, Passed(2, 0.009, ""));
  EXPECT_TRUE(out.str().starts_with(
      "gemm: node 2 is 1.10x (0.90-1.30), cannot tell yet\n"))
      << out.str();
}

// The status is due again after ten seconds, or at the last attempt.
TEST(DisplayTest, TheLastAttemptIsAlwaysTold) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kPlain, clock);
  Progress progress = TwoOfThree();
  display.OnCommit(progress, Passed(1, 0.02, ""));
  display.OnCommit(progress, Passed(2, 0.02, ""));  // Too soon.
  EXPECT_EQ(out.str(), "gemm: 2/3 attempts, no failures\n");
  progress.attempts = 3;
  display.OnCommit(progress, Passed(3, 0.02, ""));
  EXPECT_EQ(out.str(),
            "gemm: 2/3 attempts, no failures\n"
            "gemm: 3/3 attempts, no failures\n");
}

// The line of the status goes before another is written in its place.
TEST(DisplayTest, ALineTakesTheStatusAway) {
  FakeClock clock;
  std::ostringstream out;
  Display display(out, Surface::kTerminal, clock);
  display.OnConfirm(TwoOfThree(), NodeId{1});
  out.str("");
  display.Say("hello");
  EXPECT_EQ(out.str(), "\r\033[Khello\n");
  out.str("");
  display.Say("again");
  display.Close();  // Nothing is left to end.
  EXPECT_EQ(out.str(), "again\n");
}

}  // namespace
}  // namespace coppice::engine
