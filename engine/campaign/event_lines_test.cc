#include "engine/campaign/event_lines.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "store/records/node.h"

namespace coppice::engine {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Progress AtTwelve() {
  Progress progress;
  progress.campaign = "gemv.stark.s1";
  progress.attempts = 12;
  progress.budget_attempts = 60;
  progress.best = NodeId{9};
  progress.best_speedup = {3.5, Interval{3.25, 3.75}};
  progress.left_s = 40.5;
  progress.elapsed_s = 12.125;
  return progress;
}

NodeRecord NodeOf(std::int64_t number, Verdict verdict) {
  NodeRecord node;
  node.id = NodeId{number};
  node.evaluation.verdict = verdict;
  return node;
}

TEST(EventLinesTest, ACommitIsOneLineInTheOrderOfTheManual) {
  EXPECT_EQ(
      CommitEvent(AtTwelve(), NodeOf(12, Verdict::kWrongOutput)),
      R"({"event":"node","campaign":"gemv.stark.s1","attempts":12,"of":60,)"
      R"("node":12,"verdict":"wrong_output","best_node":9,)"
      R"("best_speedup":3.5,"best_low":3.25,"best_high":3.75,)"
      R"("left_s":40.5,"elapsed_s":12.125})");
}

// JSON has no word for such numbers, and "nan" would break whoever reads it.
TEST(EventLinesTest, WhatIsNotKnownOrNoNumberIsNull) {
  Progress progress = AtTwelve();
  progress.best_speedup = {kInfinity, std::nullopt};
  progress.left_s.reset();
  progress.elapsed_s = kNan;
  const std::string unknown =
      R"("best_speedup":null,"best_low":null,"best_high":null,)"
      R"("left_s":null,"elapsed_s":null})";
  EXPECT_TRUE(
      CommitEvent(progress, NodeOf(1, Verdict::kPassed)).ends_with(unknown));
  progress.best_speedup.interval = Interval{kNan, -kInfinity};
  progress.left_s = kInfinity;
  EXPECT_TRUE(
      CommitEvent(progress, NodeOf(1, Verdict::kPassed)).ends_with(unknown));
}

TEST(EventLinesTest, AConfirmationNamesItsLeader) {
  EXPECT_EQ(ConfirmEvent(AtTwelve(), NodeId{9}),
            R"({"event":"confirm","campaign":"gemv.stark.s1","node":9})");
}

// Each event is a line, whatever somebody called a campaign or a server said.
TEST(EventLinesTest, NoTextBreaksItsLine) {
  struct Case {
    std::string text;
    std::string written;
  };
  for (const Case& each : {
           Case{"", ""},
           Case{"a \"b\"\\", R"(a \"b\"\\)"},
           Case{"two\nlines\r\n", R"(two\nlines\r\n)"},
           Case{std::string("\0\x1b[2J\x7f", 6), "\\u0000\\u001b[2J\x7f"},
           Case{"\xc3\xa4", "\xc3\xa4"},
           // A byte that is no character, and half of one.
           Case{"\xff.", "\xef\xbf\xbd."},
           Case{"x\xe2\x82", "x\xef\xbf\xbd"},
       }) {
    EXPECT_EQ(SaidEvent(each.text),
              R"({"event":"said","text":")" + each.written + "\"}");
  }
  Progress progress;
  progress.campaign = "\"\n";
  EXPECT_EQ(ConfirmEvent(progress, NodeId{1}),
            R"({"event":"confirm","campaign":"\"\n","node":1})");
}

}  // namespace
}  // namespace coppice::engine
