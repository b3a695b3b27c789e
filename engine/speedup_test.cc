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

}  // namespace
}  // namespace coppice::engine
