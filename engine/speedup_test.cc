#include "engine/speedup.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coppice::engine {
namespace {

WorkloadResult Measured(std::vector<double> samples_s,
                        std::vector<double> root_samples_s) {
  WorkloadResult workload;
  workload.verdict = Verdict::kPassed;
  workload.samples_s = std::move(samples_s);
  workload.root_samples_s = std::move(root_samples_s);
  return workload;
}

Evaluation Passed(std::vector<WorkloadResult> workloads) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::kPassed;
  evaluation.workloads = std::move(workloads);
  Summarise(evaluation);
  return evaluation;
}

TEST(SpeedupIntervalTest, IsAPointWithoutNoise) {
  const auto interval =
      SpeedupInterval(Passed({Measured({1, 1, 1, 1}, {4, 4, 4, 4})}));
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->low, 4.0);
  EXPECT_DOUBLE_EQ(interval->high, 4.0);
}

// Noise on either side widens it; its ends are equally far in ratio.
TEST(SpeedupIntervalTest, SpreadsAroundTheSpeedup) {
  const auto interval =
      SpeedupInterval(Passed({Measured({9, 9, 11, 11}, {40, 40, 40, 40})}));
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 4.0);
  EXPECT_GT(interval->high, 4.0);
  EXPECT_NEAR(4.0 / interval->low, interval->high / 4.0, 1e-12);
}

// Of W equally noisy workloads the error shrinks by sqrt(W): the log-width of
// four is half that of one.
TEST(SpeedupIntervalTest, WorkloadsAverageNoiseOut) {
  const WorkloadResult noisy = Measured({9, 9, 11, 11}, {40, 40, 40, 40});
  const auto one = SpeedupInterval(Passed({noisy}));
  const auto four = SpeedupInterval(Passed({noisy, noisy, noisy, noisy}));
  ASSERT_TRUE(one && four);
  EXPECT_NEAR(std::log(one->high / 4.0), 2.0 * std::log(four->high / 4.0),
              1e-12);
}

TEST(SpeedupIntervalTest, IsUnknownFromTooFewSamples) {
  EXPECT_FALSE(SpeedupInterval(Passed({Measured({1, 1, 1}, {4, 4, 4})})));
}

TEST(SpeedupIntervalTest, IsUnknownOfAFailure) {
  Evaluation failed;
  failed.verdict = Verdict::kCrashed;
  EXPECT_FALSE(SpeedupInterval(failed));
}

// 4 and 2 times the root, without noise.
TEST(CompareTest, SeparatedIntervalsDecide) {
  const Evaluation four = Passed({Measured({1, 1, 1, 1}, {4, 4, 4, 4})});
  const Evaluation two = Passed({Measured({2, 2, 2, 2}, {4, 4, 4, 4})});
  EXPECT_DOUBLE_EQ(Compare(four, two).ratio, 2.0);
  EXPECT_EQ(Compare(four, two).Sign(), 1);
  EXPECT_EQ(Compare(two, four).Sign(), -1);
  EXPECT_EQ(Describe(Compare(four, two)),
            "2.000x as fast (95 % interval 2.000x to 2.000x)");
}

// Quartiles 9 and 11 about 10: a standard error of 1.2533 * 0.2 / 1.349 / 2 =
// 9.3 %, so 5 % cannot be told.
TEST(CompareTest, OverlappingIntervalsDoNot) {
  const Evaluation a = Passed({Measured({9, 9, 11, 11}, {40, 40, 40, 40})});
  const Evaluation b = Passed({Measured({9, 9, 11, 11}, {42, 42, 42, 42})});
  EXPECT_EQ(Compare(a, b).Sign(), 0);
  EXPECT_EQ(Describe(Compare(a, b)).find("cannot tell: 0.952x as fast"), 0u);
}

// However sure: 0.4 %.
TEST(CompareTest, LessThanHalfAPerCentIsNotClaimed) {
  const Evaluation a =
      Passed({Measured({1, 1, 1, 1}, {1.004, 1.004, 1.004, 1.004})});
  EXPECT_EQ(CompareDirectly(a).Sign(), 0);
  const Evaluation b =
      Passed({Measured({1, 1, 1, 1}, {1.006, 1.006, 1.006, 1.006})});
  EXPECT_EQ(CompareDirectly(b).Sign(), 1);
}

TEST(CompareTest, TooFewSamplesCannotTell) {
  const Evaluation a = Passed({Measured({1}, {4})});
  EXPECT_EQ(Compare(a, a).Sign(), 0);
  EXPECT_EQ(Describe(Compare(a, a)), "cannot tell: too few samples (1.00x)");
}

}  // namespace
}  // namespace coppice::engine
