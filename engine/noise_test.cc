#include "engine/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace coppice::engine {
namespace {

using testing::ElementsAre;

class CountingClock final : public Clock {
 public:
  double UnixSeconds() const override { return 0.0; }
  double Monotonic() const override { return now_s; }
  double now_s = 0.0;
};

// Takes 1 s in the fast tier and 3 s in the full, and measures the root in turn
// as 1, 1.1, 1, 1.1, ... times as fast as itself; every tenth does not pass.
class WaveringEvaluator final : public eval::Evaluator {
 public:
  explicit WaveringEvaluator(CountingClock& clock) : clock_(clock) {}
  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    source = candidate.source;
    clock_.now_s += tier == Tier::kFast ? 1.0 : 3.0;
    Evaluation evaluation;
    evaluation.tier = tier;
    if (++calls % 10 == 0) return evaluation;
    evaluation.verdict = Verdict::kPassed;
    WorkloadResult& result = evaluation.workloads.emplace_back();
    result.samples_s.assign(4, 1.0);
    result.root_samples_s.assign(4, calls % 2 == 0 ? 1.0 : 1.1);
    Summarise(evaluation);
    return evaluation;
  }
  int calls = 0;
  std::string source;

 private:
  CountingClock& clock_;
};

Task TaskOfOneLine() {
  Task task;
  task.root.sources = {{"kernel.cc", "root"}};
  task.root.entry_file = "kernel.cc";
  return task;
}

// Call 1 is the warm-up.  Fast: calls 2 to 5, of which 3 and 5 are off.  Full:
// 6 to 9, of which 7 and 9 are.
TEST(NoiseTest, TheRootIsMeasuredAgainstItself) {
  CountingClock clock;
  WaveringEvaluator evaluator(clock);
  int said = 0;
  const auto noise =
      MeasureNoise(evaluator, TaskOfOneLine(), 4, clock, [&said] { ++said; });
  ASSERT_TRUE(noise.has_value());
  EXPECT_EQ(evaluator.source, "root");
  EXPECT_EQ(said, 8);
  ASSERT_EQ(noise->size(), 2u);
  EXPECT_EQ((*noise)[0].tier, Tier::kFast);
  EXPECT_THAT((*noise)[0].speedups, ElementsAre(1.0, 1.1, 1.0, 1.1));
  EXPECT_EQ((*noise)[0].covered, 2);  // Intervals are points here.
  EXPECT_EQ((*noise)[0].seconds, 1.0);
  EXPECT_EQ((*noise)[1].seconds, 3.0);
}

class RefusingEvaluator final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate&, Tier) override {
    Evaluation evaluation;
    evaluation.verdict = Verdict::kWrongOutput;
    return evaluation;
  }
};

TEST(NoiseTest, ARootThatIsWrongIsNoNoise) {
  CountingClock clock;
  RefusingEvaluator evaluator;
  const auto noise = MeasureNoise(evaluator, TaskOfOneLine(), 3, clock, [] {});
  ASSERT_FALSE(noise.has_value());
  EXPECT_EQ(noise.error().code, Errc::kUsage);
  EXPECT_THAT(noise.error().what,
              testing::HasSubstr("its root does not pass (wrong_output)"));
}

TEST(NoiseTest, WhatDoesNotPassIsCounted) {
  CountingClock clock;
  WaveringEvaluator evaluator(clock);
  evaluator.calls = 7;  // 9 and 11 pass, 10 does not.
  const auto noise = MeasureNoise(evaluator, TaskOfOneLine(), 3, clock, [] {});
  EXPECT_EQ(noise.value()[0].failed, 1);
  EXPECT_EQ(noise.value()[0].speedups.size(), 2u);
}

// Logarithms +-0.01: s = 0.01, and exp(1.96 * 1.41421 * 0.01) - 1 = 0.028107.
TEST(ResolutionTest, FollowsTheSpread) {
  TierNoise noise;
  noise.speedups = {std::exp(0.01), std::exp(-0.01)};
  EXPECT_NEAR(Resolution(noise), 0.028107, 1e-6);
  noise.speedups = {1.0, 1.0};
  EXPECT_EQ(Resolution(noise), 0.0);
  EXPECT_TRUE(std::isinf(Resolution(TierNoise{})));
}

}  // namespace
}  // namespace coppice::engine
