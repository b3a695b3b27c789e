#include "engine/cli/evaluation_text.h"

#include <gtest/gtest.h>

#include "store/records/evaluation.h"

namespace coppice::cli {
namespace {

WorkloadResult Timed(double root_s, double candidate_s) {
  WorkloadResult workload;
  workload.verdict = Verdict::kPassed;
  workload.root_samples_s.assign(8, root_s);
  workload.samples_s.assign(8, candidate_s);
  return workload;
}

// Every pair says 2 but one.  The medians are 8 and 2, whose quotient is 4.
TEST(EvaluationTextTest, AWorkloadsSpeedupIsOfPairsOfRounds) {
  Evaluation evaluation;
  evaluation.workloads = {Timed(4.0, 2.0), Timed(6.0, 2.0)};
  EXPECT_EQ(WorkloadSpeedup(evaluation, evaluation.workloads[0]), "2x");
  EXPECT_EQ(WorkloadSpeedup(evaluation, evaluation.workloads[1]), "3x");
  evaluation.workloads[0].root_samples_s = {2, 2, 8, 8, 8};
  evaluation.workloads[0].samples_s = {1, 1, 2, 4, 4};
  EXPECT_EQ(WorkloadSpeedup(evaluation, evaluation.workloads[0]), "2x");
}

TEST(EvaluationTextTest, SaysByWhatASpeedupWasMeasured) {
  EXPECT_EQ(MeasuredText({1.5, Interval{1.4, 1.6}}, Protocol::kCoppice),
            "1.50x (95 % interval 1.40-1.60) by paired rounds");
  EXPECT_EQ(MeasuredText({1.0, Interval{0.9, 1.1}}, Protocol::kBenchmark),
            "1.00x (95 % interval 0.90-1.10) by means; cannot be told from the "
            "root");
}

TEST(EvaluationTextTest, AHintIsSaidToBeNoSpeed) {
  EXPECT_EQ(HintLine({.factor = 1.8, .low = 1.6, .high = 2.0, .samples = 5}),
            "ran about 1.80x as fast as the root (1.60-2.00), though it was "
            "wrong; no speed, for it may skip work");
}

TEST(EvaluationTextTest, WhatWasNotTimedHasNone) {
  Evaluation evaluation;
  evaluation.workloads = {WorkloadResult{}};
  EXPECT_EQ(WorkloadSpeedup(evaluation, evaluation.workloads[0]), "-");
}

// As of a benchmark, which does not time in rounds.
TEST(EvaluationTextTest, OneWorkloadHasTheSpeedupOfAll) {
  Evaluation evaluation;
  evaluation.workloads = {Timed(4.0, 2.0)};
  evaluation.speedup = Speedup{2.2, Interval{2.0, 2.4}};
  EXPECT_EQ(WorkloadSpeedup(evaluation, evaluation.workloads[0]),
            "2.20x (2.00-2.40)");
}

// Whatever is printed or typed next begins a line.
TEST(EvaluationTextTest, ALogEndsItsLastLineAndIsSafeToShow) {
  EXPECT_EQ(LogText(""), "");
  EXPECT_EQ(LogText("no idea"), "no idea\n");
  EXPECT_EQ(LogText("one\ntwo\n"), "one\ntwo\n");
  EXPECT_EQ(LogText("\n"), "\n");
  EXPECT_EQ(LogText("y[3] is\033[2J 7"), "y[3] is?[2J 7\n");
}

TEST(EvaluationTextTest, RoundsThatWereMadeAgainAreCounted) {
  Evaluation evaluation;
  evaluation.workloads = {Timed(4.0, 2.0), Timed(6.0, 2.0)};
  evaluation.workloads[0].discarded_samples = 3;
  evaluation.workloads[1].discarded_samples = 4;
  EXPECT_EQ(MadeAgain(evaluation), 7);
  EXPECT_EQ(MadeAgain({evaluation, evaluation}), 14);
  EXPECT_EQ(BusyText(14, "its rounds"),
            "busy machine: 14 of its rounds were made again");
  EXPECT_EQ(BusyText(1, "its rounds"),
            "busy machine: 1 of its rounds was made again");
}

}  // namespace
}  // namespace coppice::cli
