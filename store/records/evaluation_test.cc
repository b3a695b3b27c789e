#include "store/records/evaluation.h"

#include <gtest/gtest.h>

namespace coppice {
namespace {

// Medians 1 and 4: geometric mean sqrt(1 * 4) = 2.  Root: sqrt(9 * 16) = 12.
TEST(EvaluationTest, RuntimeIsTheGeometricMeanOfMedians) {
  Evaluation evaluation;
  evaluation.workloads.resize(2);
  evaluation.workloads[0].samples_s = {1.0, 1.0, 50.0};
  evaluation.workloads[0].root_samples_s = {9.0};
  evaluation.workloads[1].samples_s = {3.0, 5.0};
  evaluation.workloads[1].root_samples_s = {16.0, 16.0};
  Summarise(evaluation);
  EXPECT_DOUBLE_EQ(evaluation.runtime_s.value(), 2.0);
  EXPECT_DOUBLE_EQ(evaluation.root_runtime_s.value(), 12.0);
}

TEST(VerdictTest, ANumberThatNobodyStoredHasNoName) {
  EXPECT_EQ(Name(Verdict::kInconclusive), "inconclusive");
  EXPECT_EQ(Name(static_cast<Verdict>(8)), "unknown");
}

// A quarter of 2 intervals is half of one.
TEST(EvaluationTest, QuartilesOfFewSamplesAreBetweenThem) {
  const Quartiles two = QuartilesOf({3.0, 1.0});
  EXPECT_DOUBLE_EQ(two.lower, 1.5);
  EXPECT_DOUBLE_EQ(two.median, 2.0);
  EXPECT_DOUBLE_EQ(two.upper, 2.5);
  const Quartiles three = QuartilesOf({5.0, 1.0, 3.0});
  EXPECT_DOUBLE_EQ(three.lower, 2.0);
  EXPECT_DOUBLE_EQ(three.upper, 4.0);
}

// Each round's ratio is 3, and so is that of the medians.
TEST(EvaluationTest, TheSpeedupIsOfTheRounds) {
  Evaluation evaluation;
  evaluation.workloads.resize(1);
  evaluation.workloads[0].samples_s = {1.0, 2.0, 4.0};
  evaluation.workloads[0].root_samples_s = {3.0, 6.0, 12.0};
  evaluation.workloads[0].readings.resize(3);
  Summarise(evaluation);
  EXPECT_DOUBLE_EQ(evaluation.runtime_s.value(), 2.0);
  EXPECT_DOUBLE_EQ(evaluation.root_runtime_s.value(), 6.0);
  EXPECT_DOUBLE_EQ(evaluation.speedup->ratio, 3.0);
}

}  // namespace
}  // namespace coppice
