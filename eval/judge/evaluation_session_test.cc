#include "eval/judge/evaluation_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "store/records/evaluation.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// On one workload, as fast as `own`, the root as `root`.
EvaluationSession Timed(std::vector<double> own, std::vector<double> root) {
  EvaluationSession session;
  WorkloadResult& result = session.workloads.emplace_back();
  result.workload = "w";
  result.verdict = Verdict::kPassed;
  result.samples_s = std::move(own);
  result.root_samples_s = std::move(root);
  result.readings.resize(result.samples_s.size());
  for (SampleReading& reading : result.readings) {
    reading.calls = 10;
    reading.cpu_s = 0.5;
  }
  result.calls_verified = 30;
  session.check_s = 1.0;
  session.timing_s = 2.0;
  return session;
}

// Twice the root's speed, then 1.9 and 1.7 times.
TEST(AgreeTest, SpeedsWithinTenPercentDo) {
  const EvaluationSession first = Timed({1, 1, 1, 1}, {2, 2, 2, 2});
  EXPECT_TRUE(Agree(first, Timed({1, 1, 1, 1}, {1.9, 1.9, 1.9, 1.9})));
  EXPECT_FALSE(Agree(first, Timed({1, 1, 1, 1}, {1.7, 1.7, 1.7, 1.7})));
}

// The machine was half as fast: the root shows it.
TEST(AgreeTest, WhatTheMachineDidCancels) {
  EXPECT_TRUE(Agree(Timed({1, 1, 1, 1}, {2, 2, 2, 2}),
                    Timed({2, 2, 2, 2}, {4, 4, 4, 4})));
}

// Means of 1 and 1.25 (22 % apart), but logarithms that vary by a quarter in
// each: a standard error of about 0.14 each, on 2 degrees each.
TEST(AgreeTest, NoiseExcusesADifference) {
  const std::vector<double> root = {2, 2, 2, 2, 2};
  EXPECT_TRUE(Agree(Timed({0.5, 0.75, 1, 1.25, 1.5}, root),
                    Timed({0.75, 1, 1.25, 1.5, 1.75}, root)));
}

// 16 % apart, without noise.  Processes that differ by 10 % excuse it.
TEST(AgreeTest, WhatDiffersFromProcessToProcessExcusesADifference) {
  EvaluationSession first = Timed({1, 1, 1, 1}, {2, 2, 2, 2});
  EvaluationSession second = Timed({1, 1, 1, 1}, {1.7, 1.7, 1.7, 1.7});
  EXPECT_FALSE(Agree(first, second));
  first.workloads[0].between_processes = {0.01, 10.0};
  second.workloads[0].between_processes = {0.01, 10.0};
  EXPECT_TRUE(Agree(first, second));
}

TEST(AgreeTest, EveryWorkloadMustAgree) {
  EvaluationSession a = Timed({1, 1, 1, 1}, {2, 2, 2, 2});
  EvaluationSession b = a;
  a.workloads.push_back(a.workloads.front());
  b.workloads.push_back(Timed({1, 1, 1, 1}, {3, 3, 3, 3}).workloads.front());
  EXPECT_FALSE(Agree(a, b));
}

TEST(EnterTest, SamplesAddUpAndNameTheirSession) {
  Evaluation evaluation;
  Enter(Timed({1, 2}, {3, 4}), 0, evaluation);
  Enter(Timed({5}, {6}), 1, evaluation);
  EXPECT_EQ(evaluation.verdict, Verdict::kPassed);
  const WorkloadResult& result = evaluation.workloads.at(0);
  EXPECT_THAT(result.samples_s, ElementsAre(1, 2, 5));
  EXPECT_THAT(result.root_samples_s, ElementsAre(3, 4, 6));
  ASSERT_EQ(result.readings.size(), 3u);
  EXPECT_EQ(result.readings[1].session, 0);
  EXPECT_EQ(result.readings[2].session, 1);
  EXPECT_EQ(result.calls_verified, 60);
  EXPECT_EQ(evaluation.check_s, 2.0);
  EXPECT_EQ(evaluation.timing_s, 4.0);
  // Three samples of ten calls of half a second.
  EXPECT_EQ(evaluation.device_s, 15.0);
}

TEST(EnterTest, LinesOfALaterSessionSayWhose) {
  Evaluation evaluation;
  EvaluationSession one = Timed({1}, {2});
  one.log = "workload a (M=1): good\nworkload b (M=2): good\nit printed:\nx\n";
  Enter(one, 0, evaluation);
  one.log = "a remark";  // Without an end.
  Enter(one, 1, evaluation);
  one.log = "\nworkload a (M=1): good\nworkload b (M=2): good\n";
  Enter(one, 2, evaluation);
  EXPECT_EQ(evaluation.log,
            "workload a (M=1): good\nworkload b (M=2): good\nit printed:\nx\n"
            "session 2: a remark"
            "session 3: \nsession 3: workload a (M=1): good\n"
            "session 3: workload b (M=2): good\n");
}

TEST(EnterTest, ASessionThatFailsTakesThePassAway) {
  Evaluation evaluation;
  EvaluationSession good = Timed({1, 2}, {3, 4});
  good.workloads[0].control_samples_s = {3, 4};
  Enter(good, 0, evaluation);
  EvaluationSession failed;
  failed.verdict = Verdict::kWrongOutput;
  failed.hint = Hint{2.0, 1.5, 2.5, 5};
  failed.log = "wrong\n";
  failed.workloads.emplace_back().workload = "w";
  failed.workloads.back().verdict = Verdict::kWrongOutput;
  failed.workloads.back().worst_error_ratio = 7.0;
  Enter(failed, 1, evaluation);
  EXPECT_EQ(evaluation.verdict, Verdict::kWrongOutput);
  EXPECT_EQ(evaluation.hint->factor, 2.0);
  EXPECT_EQ(evaluation.workloads[0].verdict, Verdict::kWrongOutput);
  EXPECT_EQ(evaluation.workloads[0].worst_error_ratio, 7.0);
  EXPECT_THAT(evaluation.workloads[0].samples_s, IsEmpty());
  EXPECT_THAT(evaluation.workloads[0].root_samples_s, IsEmpty());
  EXPECT_THAT(evaluation.workloads[0].control_samples_s, IsEmpty());
  EXPECT_THAT(evaluation.workloads[0].readings, IsEmpty());
}

// What came of a first session at twice the root's speed and, as far as they
// were asked for, further ones at `speeds`.
struct Proof {
  Evaluation evaluation;
  std::size_t asked = 0;
};

EvaluationSession AtSpeed(double speed) {
  return Timed({1, 1, 1, 1}, std::vector<double>(4, speed));
}

Proof Prove(const std::vector<double>& speeds) {
  Proof proof;
  const EvaluationSession first = AtSpeed(2);
  Enter(first, 0, proof.evaluation);
  EXPECT_TRUE(RepeatUntilTwoAgree(
      first,
      [&]() -> Result<EvaluationSession> {
        return AtSpeed(speeds.at(proof.asked++));
      },
      proof.evaluation));
  return proof;
}

TEST(RepeatUntilTwoAgreeTest, ASecondThatAgreesIsEnough) {
  const Proof proof = Prove({2});
  EXPECT_EQ(proof.evaluation.verdict, Verdict::kPassed);
  EXPECT_EQ(proof.evaluation.workloads.at(0).readings.size(), 8u);
}

TEST(RepeatUntilTwoAgreeTest, AThirdMayAgreeWithEither) {
  EXPECT_EQ(Prove({3, 2}).evaluation.verdict, Verdict::kPassed);
  const Proof proof = Prove({3, 3});
  EXPECT_EQ(proof.evaluation.verdict, Verdict::kPassed);
  EXPECT_EQ(proof.evaluation.workloads.at(0).readings.back().session, 2);
}

// Their logarithms, 0.693, 1.099 and 1.386, weigh the same: the mean is
// 1.059, ln 2.884, and all three lie within the interval.
TEST(RepeatUntilTwoAgreeTest, ThreeOfThreeMindsWidenTheInterval) {
  Proof proof = Prove({3, 4});
  EXPECT_EQ(proof.evaluation.verdict, Verdict::kPassed);
  EXPECT_THAT(proof.evaluation.log, HasSubstr("no two of three sessions"));
  Summarise(proof.evaluation);
  const Speedup& speedup = *proof.evaluation.speedup;
  EXPECT_NEAR(speedup.ratio, 2.884, 0.001);
  ASSERT_TRUE(speedup.interval);
  EXPECT_LT(speedup.interval->low, 2.0);
  EXPECT_GT(speedup.interval->high, 4.0);
}

TEST(RepeatUntilTwoAgreeTest, AFailureEndsIt) {
  Evaluation evaluation;
  EvaluationSession crash;
  crash.verdict = Verdict::kCrashed;
  crash.workloads.emplace_back();
  int asked = 0;
  EXPECT_TRUE(RepeatUntilTwoAgree(
      AtSpeed(2),
      [&]() -> Result<EvaluationSession> {
        ++asked;
        return crash;
      },
      evaluation));
  EXPECT_EQ(evaluation.verdict, Verdict::kCrashed);
  EXPECT_EQ(asked, 1);
}

TEST(QuoteTest, LongOutputIsCutInTheMiddle) {
  EXPECT_EQ(Quote(""), "");
  EXPECT_EQ(Quote("hello"), "it printed:\nhello\n");
  const std::string quoted = Quote("first" + std::string(5000, 'x') + "last");
  EXPECT_THAT(quoted, StartsWith("it printed:\nfirstxxx"));
  EXPECT_THAT(quoted, HasSubstr("xxx\n[cut]\nxxx"));
  EXPECT_THAT(quoted, EndsWith("xxxlast\n"));
  EXPECT_LT(quoted.size(), 4200u);
}

TEST(AgreeTest, TwoRoundsTellNothing) {
  EXPECT_FALSE(Agree(Timed({1, 1}, {2, 2}), Timed({1, 1}, {2, 2})));
}

// ln 1.1 = 0.0953: 9 % more and 10.5 % more than twice the root's speed, and as
// much less.
TEST(AgreeTest, TenPercentIsOfTheRatio) {
  const EvaluationSession first = Timed({1, 1, 1}, {2, 2, 2});
  for (const auto& [speed, agrees] :
       {std::pair(2.18, true), {2.21, false}, {1.83, true}, {1.81, false}}) {
    const std::vector<double> root(3, speed);
    EXPECT_EQ(Agree(first, Timed({1, 1, 1}, root)), agrees) << speed;
    EXPECT_EQ(Agree(Timed({1, 1, 1}, root), first), agrees) << speed;
  }
}

// All that a session knows of a workload.
WorkloadResult Known(double error, std::int64_t discarded) {
  WorkloadResult result;
  result.workload = "w";
  result.verdict = Verdict::kPassed;
  result.worst_error_ratio = error;
  result.max_absolute_error = 2 * error;
  result.max_relative_error = 3 * error;
  result.discarded_samples = discarded;
  result.samples_s = {1.0};
  result.root_samples_s = {2.0};
  result.control_samples_s = {2.1};
  result.readings.resize(1);
  return result;
}

TEST(EnterTest, OfErrorsTheLargestStaysAndCountsAddUp) {
  EvaluationSession first, second;
  first.workloads = {Known(0.5, 3)};
  first.workloads[0].between_processes = {1.0, 2.0};
  first.workloads[0].temperature_c = 40.0;
  first.workloads[0].floor_s = 0.1;
  first.workloads[0].profile.emplace().shape = "N=1";
  first.log = "first\n";
  second.workloads = {Known(0.25, 4)};
  second.workloads[0].between_processes = {3.0, 4.0};
  second.workloads[0].temperature_c = 50.0;
  second.workloads[0].floor_s = 0.2;
  second.log = "second\n";
  Evaluation evaluation;
  Enter(first, 0, evaluation);
  Enter(second, 1, evaluation);
  const WorkloadResult& result = evaluation.workloads.at(0);
  EXPECT_EQ(result.workload, "w");
  EXPECT_EQ(result.worst_error_ratio, 0.5);
  EXPECT_EQ(result.max_absolute_error, 1.0);
  EXPECT_EQ(result.max_relative_error, 1.5);
  EXPECT_EQ(result.discarded_samples, 7);
  EXPECT_THAT(result.control_samples_s, ElementsAre(2.1, 2.1));
  // What is known last.
  EXPECT_EQ(result.between_processes->variance, 3.0);
  EXPECT_EQ(result.temperature_c, 50.0);
  EXPECT_EQ(result.floor_s, 0.2);
  EXPECT_EQ(result.profile->shape, "N=1");  // The second has none.
  EXPECT_EQ(evaluation.log, "first\nsession 2: second\n");
  EXPECT_EQ(evaluation.device_s, std::nullopt);  // No reading tells it.
}

TEST(EnterTest, ARejectionHasItsBreach) {
  EvaluationSession rejected;
  static_cast<Outcome&>(rejected) = Rejected(Breach::kWorkedLate, "late\n");
  rejected.workloads.emplace_back().breach = Breach::kWorkedLate;
  Evaluation evaluation;
  Enter(rejected, 0, evaluation);
  EXPECT_EQ(evaluation.breach, Breach::kWorkedLate);
  EXPECT_EQ(evaluation.workloads[0].breach, Breach::kWorkedLate);
  EXPECT_EQ(evaluation.log, "late\n");
}

TEST(RepeatUntilTwoAgreeTest, ThereAreThreeAtMost) {
  EXPECT_EQ(Prove({2}).asked, 1u);
  EXPECT_EQ(Prove({3, 2, 2}).asked, 2u);
  EXPECT_EQ(Prove({3, 4, 2}).asked, 2u);
}

TEST(RepeatUntilTwoAgreeTest, AFaultOfOursIsAnError) {
  Evaluation evaluation;
  const Result<void> sat = RepeatUntilTwoAgree(
      AtSpeed(2),
      []() -> Result<EvaluationSession> { return Fail(Errc::kFull, "disk"); },
      evaluation);
  ASSERT_FALSE(sat);
  EXPECT_EQ(sat.error().code, Errc::kFull);
}

TEST(PrefixTest, NamesTheWorkloadAndItsSizes) {
  Workload workload;
  workload.uuid = "7f";
  workload.axes = {{"M", 33}, {"N", 17}};
  EXPECT_EQ(ShapeText(workload), "M=33, N=17");
  EXPECT_EQ(Prefix(workload), "workload 7f (M=33, N=17): ");
  EXPECT_EQ(ShapeText(Workload{}), "");
}

TEST(AbridgeTest, KeepsBothEnds) {
  EXPECT_EQ(Abridge("12345678", 8), "12345678");
  EXPECT_EQ(Abridge("123456789", 8), "1234\n[cut]\n6789");
  EXPECT_EQ(Abridge("123456789", 7), "123\n[cut]\n789");
}

}  // namespace
}  // namespace coppice::eval
