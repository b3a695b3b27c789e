#include "agents/catalogue/precedent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace coppice::agents::catalogue {
namespace {

// On a task where the best is e^2 times as fast as the root.
Lesson On(const std::string& task, const std::string& program,
          const std::string& technique, double log_speedup,
          double nearness = 0.5) {
  Lesson lesson;
  lesson.campaign = task;
  lesson.node = NodeId{1};
  lesson.task.digest = task;
  lesson.program = program;
  lesson.technique = technique;
  lesson.verdict = Verdict::kPassed;
  lesson.effect = Speedup{1.5, Interval{1.4, 1.6}};
  lesson.speedup = std::exp(log_speedup);
  lesson.best = std::exp(2.0);
  lesson.nearness = nearness;
  return lesson;
}

// Shares are 1, and 0.5.  (0.5 * 1 + 0.09) / 0.8 = 0.7375, and
// (0.5 * 0.5 + 0.09) / 0.8 = 0.425.
TEST(PrecedentTest, WhatCameNearTheBestElsewhereIsFirst) {
  const auto all = PrecedentsIn(std::vector{On("a", "", "pad(x)", 1.0),
                                            On("a", "pad(x)", "simd(j)", 2.0)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(PrintLabel(all[0].steps), "pad(x) + simd(j)");
  EXPECT_DOUBLE_EQ(all[0].value, 0.59 / 0.8);
  EXPECT_DOUBLE_EQ(all[0].share, 1.0);
  EXPECT_EQ(all[0].origin, "a node 1");
  EXPECT_DOUBLE_EQ(all[1].value, 0.34 / 0.8);
}

// (0.5 * 0.75 + 0.5 * 0.75 + 0.09) / 1.3 = 0.646 against 0.7375, though both
// began anew; and against (0.1 * 1 + 0.09) / 0.4 = 0.475 of a distant task.
TEST(PrecedentTest, EachTaskCountsOnceByItsNearness) {
  const auto all = PrecedentsIn(std::vector{
      On("a", "pad(x)", "again + jam(j, 8)", 2.0),
      On("a", "", "jam(i, 9)", 1.0), On("b", "", "jam(k, 8)", 1.5),
      On("c", "", "simd(j)", 2.0), On("d", "", "tile(i, 8)", 2.0, 0.1)});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(PrintLabel(all[0].steps), "simd(j)");
  EXPECT_EQ(PrintLabel(all[1].steps), "jam(j, 8)");
  EXPECT_DOUBLE_EQ(all[1].value, 0.84 / 1.3);
  EXPECT_EQ(PrintLabel(all[2].steps), "tile(i, 8)");
}

// (0.5 * 0 + 0.09) / 0.8.
TEST(PrecedentTest, AFailureCameToNothing) {
  Lesson failed = On("a", "", "simd(j)", 2.0);
  failed.verdict = Verdict::kWrongOutput;
  failed.effect.reset();
  failed.speedup.reset();
  const auto all = PrecedentsIn(std::vector{failed});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].value, 0.09 / 0.8);
}

TEST(PrecedentTest, ACampaignThatGainedNothingHasNone) {
  Lesson lesson = On("a", "", "simd(j)", 0.05);
  lesson.best = std::exp(0.05);
  Lesson note;
  note.note = "use simd";
  EXPECT_TRUE(PrecedentsIn(std::vector{lesson, note}).empty());
}

}  // namespace
}  // namespace coppice::agents::catalogue
