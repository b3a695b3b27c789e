#include "store/records/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace coppice {
namespace {

Lesson Gain(const std::string& technique, double ratio,
            const std::string& operation = "gemm") {
  Lesson lesson;
  lesson.technique = technique;
  lesson.task.operation = operation;
  lesson.verdict = Verdict::kPassed;
  lesson.effect = Speedup{ratio, Interval{ratio / 1.1, ratio * 1.1}};
  return lesson;
}

Lesson Failure(const std::string& technique, Verdict verdict,
               const std::string& failure) {
  Lesson lesson = Gain(technique, 1.0);
  lesson.verdict = verdict;
  lesson.effect.reset();
  lesson.failure = failure;
  return lesson;
}

// 48 and 32 are of one kind, 16 is of another; so is another operation.
TEST(LessonTest, KindsOnOneOperationAreSummed) {
  const std::vector<Lesson> lessons = {
      Gain("jam(j, 48)", 2.0), Gain("jam(i, 32)", 8.0),
      Gain("jam(i, 16)", 1.05), Gain("jam(i, 32)", 3.0, "conv")};
  const std::vector<LessonSum> sums = SumUp(lessons);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].kind, "jam(32)");
  EXPECT_EQ(sums[0].tries, 2);
  EXPECT_EQ(sums[0].gained, 2);
  EXPECT_DOUBLE_EQ(sums[0].effect->ratio, 4.0);  // sqrt(2 * 8).
  EXPECT_FALSE(sums[0].effect->interval);
  EXPECT_EQ(sums[0].best, &lessons[1]);
  // 1.05 / 1.1 is below 1: it cannot be told apart.
  EXPECT_EQ(sums[1].kind, "jam(16)");
  EXPECT_EQ(sums[1].gained, 0);
  EXPECT_EQ(sums[2].operation, "conv");
}

// 1 - 2 / 2^6 = 0.97: of six the median lies between the least and the most.
// For five that is 1 - 2 / 2^5 = 0.94, too little.
TEST(LessonTest, SixEffectsTellAnInterval) {
  std::vector<Lesson> lessons;
  for (const double ratio : {5.0, 1.0, 4.0, 2.0, 3.0}) {
    lessons.push_back(Gain("tile", ratio));
  }
  EXPECT_FALSE(SumUp(lessons)[0].effect->interval);
  EXPECT_DOUBLE_EQ(SumUp(lessons)[0].effect->ratio, 3.0);
  lessons.push_back(Gain("tile", 6.0));
  const LessonSum sum = SumUp(lessons)[0];
  ASSERT_TRUE(sum.effect->interval);
  EXPECT_DOUBLE_EQ(sum.effect->interval->low, 1.0);
  EXPECT_DOUBLE_EQ(sum.effect->interval->high, 6.0);
}

// Half of 10,000 less 1.96 standard deviations of 50 is rank 4902, from below
// and from above.
TEST(LessonTest, AsManyAsALibraryMayHaveTellAnIntervalToo) {
  std::vector<Lesson> lessons;
  for (int i = 1; i <= 10'000; ++i) lessons.push_back(Gain("tile", i));
  const LessonSum sum = SumUp(lessons)[0];
  EXPECT_DOUBLE_EQ(sum.effect->interval->low, 4902.0);
  EXPECT_DOUBLE_EQ(sum.effect->interval->high, 5099.0);
}

TEST(LessonTest, TheCommonestFailureIsTold) {
  const std::vector<Lesson> lessons = {
      Failure("tile", Verdict::kCrashed, "signal 11"),
      Failure("tile", Verdict::kWrongOutput, "workload a"),
      Failure("tile", Verdict::kWrongOutput, "workload b")};
  const LessonSum sum = SumUp(lessons)[0];
  EXPECT_EQ(sum.tries, 3);
  EXPECT_EQ(sum.passed, 0);
  EXPECT_EQ(sum.failed_as, Verdict::kWrongOutput);
  EXPECT_EQ(sum.failure, "workload a");
  EXPECT_FALSE(sum.effect);
}

TEST(LessonTest, APersonsLineIsNoTry) {
  Lesson note;
  note.note = "keep the row in registers";
  EXPECT_TRUE(SumUp(std::vector{note}).empty());
}

// ln 2 = 0.693; ln 10 = 2.3 is cut to 2, and ln 0.1 = -2.3 to -1.
TEST(LessonTest, ATryIsWorthTheLogarithmOfItsEffectWithinLimits) {
  EXPECT_DOUBLE_EQ(WorthOf(Gain("a", 2.0)).value(), std::log(2.0));
  EXPECT_EQ(WorthOf(Gain("a", 10.0)), 2.0);
  EXPECT_EQ(WorthOf(Gain("a", 0.1)), -1.0);
  EXPECT_EQ(WorthOf(Gain("a", 1.05)), 0.0);  // Not told apart.
  for (const Verdict verdict :
       {Verdict::kCompileFailed, Verdict::kCrashed, Verdict::kTimedOut,
        Verdict::kWrongOutput, Verdict::kRejected}) {
    EXPECT_EQ(WorthOf(Failure("a", verdict, "")), -0.5);
  }
  for (const Verdict verdict :
       {Verdict::kNoCandidate, Verdict::kInconclusive}) {
    EXPECT_EQ(WorthOf(Failure("a", verdict, "")), std::nullopt);
  }
  Lesson note = Gain("a", 2.0);
  note.note = "x";
  EXPECT_EQ(WorthOf(note), std::nullopt);
}

// Nearness 1 and 0.5: (1 ln 2 - 0.5 / 2) / (1 + 0.5 + 1).  What tells nothing
// counts as a try, and for no more.
TEST(LessonTest, WorthIsAMeanByNearnessWithOneMoreThatCameToNothing) {
  std::vector<Lesson> lessons = {Gain("tile", 2.0),
                                 Failure("tile", Verdict::kCrashed, ""),
                                 Failure("tile", Verdict::kNoCandidate, "")};
  lessons[1].nearness = 0.5;
  const LessonSum sum = SumUp(lessons)[0];
  EXPECT_EQ(sum.tries, 3);
  EXPECT_DOUBLE_EQ(sum.nearness, 1.5);
  EXPECT_DOUBLE_EQ(sum.Worth(), (std::log(2.0) - 0.25) / 2.5);
  EXPECT_EQ(LessonSum{}.Worth(), 0.0);
}

TEST(LessonTest, OfEqualsTheFirstIsBest) {
  const std::vector<Lesson> lessons = {Failure("tile", Verdict::kCrashed, ""),
                                       Gain("tile", 2.0), Gain("tile", 2.0)};
  const LessonSum sum = SumUp(lessons)[0];
  EXPECT_EQ(sum.first, &lessons[0]);
  EXPECT_EQ(sum.best, &lessons[1]);
  EXPECT_EQ(sum.passed, 2);
}

// 1 - 2 (1 + 8) / 2^8 = 0.93 is too little and 1 - 2 / 2^8 is not: rank 1 of
// eight.  1 - 2 (1 + 9) / 2^9 = 0.961: rank 2 of nine.
TEST(LessonTest, TheMedianLiesBetweenRanksThatItsNumberAllows) {
  std::vector<Lesson> lessons;
  for (int i = 1; i <= 8; ++i) lessons.push_back(Gain("tile", i));
  EXPECT_EQ(SumUp(lessons)[0].effect->interval, (Interval{1.0, 8.0}));
  lessons.push_back(Gain("tile", 9.0));
  EXPECT_EQ(SumUp(lessons)[0].effect->interval, (Interval{2.0, 8.0}));
}

}  // namespace
}  // namespace coppice
