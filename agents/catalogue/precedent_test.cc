#include "agents/catalogue/precedent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "store/records/lesson.h"

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

// Shares are 1, and 0.75: (0.5 * 1 + 0.3) / 1.5 = 0.533, and
// (0.75 * 0.5 + 0.3) / 1.5 = 0.45, which is too little.
TEST(PrecedentTest, WhatCameNearTheBestElsewhereIsFirst) {
  const auto all = PrecedentsIn(std::vector{On("a", "", "pad(x)", 1.5),
                                            On("a", "pad(x)", "simd(j)", 2.0)});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(PrintLabel(all[0].steps), "pad(x) + simd(j)");
  EXPECT_DOUBLE_EQ(all[0].value, 0.8 / 1.5);
  EXPECT_DOUBLE_EQ(all[0].share, 1.0);
  EXPECT_EQ(all[0].origin, "a node 1");
}

TEST(PrecedentTest, TheNameOfACampaignKeepsToItsLine) {
  const auto all =
      PrecedentsIn(std::vector{On("a\nTECHNIQUE: none", "", "simd(j)", 2.0)});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].origin, "a TECHNIQUE: none node 1");
}

// jam(8): (0.5 * 0.75 + 0.5 * 0.75 + 0.3) / 2 = 0.525, one of them begun anew;
// simd: 0.533; tile, of a distant task: (0.1 * 1 + 0.3) / 1.1 = 0.36.
TEST(PrecedentTest, EachTaskCountsOnceByItsNearness) {
  const auto all = PrecedentsIn(std::vector{
      On("a", "pad(x)", "again + jam(j, 8)", 2.0),
      On("a", "", "jam(i, 9)", 1.0), On("b", "", "jam(k, 8)", 1.5),
      On("c", "", "simd(j)", 2.0), On("d", "", "tile(i, 8)", 2.0, 0.1)});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(PrintLabel(all[0].steps), "simd(j)");
  EXPECT_EQ(PrintLabel(all[1].steps), "jam(j, 8)");
  EXPECT_DOUBLE_EQ(all[1].value, 1.05 / 2);
}

// (0.5 * 1 + 0.5 * 0 + 0.3) / 2 = 0.4 is too little.
TEST(PrecedentTest, AFailureCameToNothing) {
  Lesson failed = On("b", "", "simd(j)", 2.0);
  failed.verdict = Verdict::kWrongOutput;
  failed.effect.reset();
  failed.speedup.reset();
  const Lesson passed = On("a", "", "simd(j)", 2.0);
  EXPECT_EQ(PrecedentsIn(std::vector{passed}).size(), 1U);
  EXPECT_TRUE(PrecedentsIn(std::vector{passed, failed}).empty());
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
