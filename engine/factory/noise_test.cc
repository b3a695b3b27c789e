#include "engine/factory/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "store/records/candidate.h"
#include "store/records/tier.h"

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

const std::vector<Tier> kBothTiers = {Tier::kFast, Tier::kFull};

std::vector<double> Ratios(const TierNoise& noise) {
  std::vector<double> ratios;
  for (const auto& speedup : noise.Speedups()) ratios.push_back(speedup.ratio);
  return ratios;
}

// Call 1 is the warm-up.  Fast: calls 2 to 5, of which 3 and 5 are off.  Full:
// 6 to 9, of which 7 and 9 are.
TEST(NoiseTest, AKernelIsMeasuredAgainAndAgainInBothTiers) {
  CountingClock clock;
  WaveringEvaluator evaluator(clock);
  int said = 0;
  const auto noise =
      MeasureNoise(evaluator, Task(), {.source = "kernel", .entry_symbol = ""},
                   kBothTiers, 4, clock, [&said] { ++said; });
  ASSERT_TRUE(noise.has_value());
  EXPECT_EQ(evaluator.source, "kernel");
  EXPECT_EQ(said, 8);
  ASSERT_EQ(noise->size(), 2u);
  EXPECT_EQ((*noise)[0].tier, Tier::kFast);
  const auto about = [](double x) { return testing::DoubleNear(x, 1e-12); };
  EXPECT_THAT(Ratios((*noise)[0]),
              ElementsAre(about(1.0), about(1.1), about(1.0), about(1.1)));
  EXPECT_THAT((*noise)[0].seconds, ElementsAre(1.0, 1.0, 1.0, 1.0));
  EXPECT_THAT((*noise)[1].seconds, ElementsAre(3.0, 3.0, 3.0, 3.0));
}

class RefusingEvaluator final : public eval::Evaluator {
 public:
  Result<Evaluation> Evaluate(const Task&, const Candidate&, Tier) override {
    Evaluation evaluation;
    evaluation.verdict = Verdict::kWrongOutput;
    return evaluation;
  }
};

TEST(NoiseTest, AKernelThatIsWrongIsNoNoise) {
  CountingClock clock;
  RefusingEvaluator evaluator;
  const auto noise =
      MeasureNoise(evaluator, Task(), Candidate(), kBothTiers, 3, clock, [] {});
  ASSERT_FALSE(noise.has_value());
  EXPECT_EQ(noise.error().code, Errc::kUsage);
  EXPECT_THAT(noise.error().what,
              testing::HasSubstr("does not pass (wrong_output)"));
}

TEST(NoiseTest, OneTierAloneMayBeMeasured) {
  CountingClock clock;
  WaveringEvaluator evaluator(clock);
  const auto noise = MeasureNoise(evaluator, Task(), Candidate(), {Tier::kFast},
                                  3, clock, [] {});
  ASSERT_EQ(noise.value().size(), 1u);
  EXPECT_EQ(noise.value()[0].tier, Tier::kFast);
  EXPECT_EQ(noise.value()[0].sessions.size(), 3u);
}

TEST(NoiseTest, WhatDoesNotPassIsCounted) {
  CountingClock clock;
  WaveringEvaluator evaluator(clock);
  evaluator.calls = 7;  // 9 and 11 pass, 10 does not.
  const auto noise =
      MeasureNoise(evaluator, Task(), Candidate(), kBothTiers, 3, clock, [] {});
  EXPECT_EQ(noise.value()[0].Failed(), 1);
  EXPECT_EQ(noise.value()[0].Speedups().size(), 2u);
}

// Sessions with such speedups, and intervals of a factor on either side.
TierNoise Judged(const std::vector<double>& ratios, double factor) {
  TierNoise noise;
  for (const double ratio : ratios) {
    noise.sessions.emplace_back().speedup = {
        ratio, Interval{ratio / factor, ratio * factor}};
  }
  return noise;
}

// Intervals of 10 % hold 1 about 1.05 and 0.95; 1.2 is called faster and 0.8
// slower, falsely; what has no interval claims nothing.
TEST(ClaimsTest, AreCountedAgainstTheTruth) {
  TierNoise noise = Judged({1.05, 0.95, 1.2, 0.8, 1.0}, 1.1);
  noise.sessions.back().speedup->interval.reset();
  const Claims claims = AgainstRoot(noise);
  EXPECT_EQ(claims.pairs, 5);
  EXPECT_EQ(claims.held, 2);
  EXPECT_EQ(claims.faster, 1);
  EXPECT_EQ(claims.slower, 1);
  EXPECT_EQ(claims.untold, 1);
}

// 2.05 over 2, 3 over 2; the last has no other.
TEST(ClaimsTest, EqualKernelsAreAsFastAsEachOther) {
  const Claims claims = AgainstEachOther(Judged({2.0, 2.05, 2.0, 3.0, 9}, 1.1));
  EXPECT_EQ(claims.pairs, 2);
  EXPECT_EQ(claims.held, 1);
  EXPECT_EQ(claims.faster, 1);
}

// Logarithms +-0.01: variance 2e-4, s = 0.014142, and
// exp(1.96 * 1.41421 * 0.014142) - 1 = 0.03998.
TEST(ResolutionTest, IsAsWideAsTheSpreadOfSpeedups) {
  const auto of = [](const std::vector<double>& ratios) {
    return Resolution(Judged(ratios, 1.0).Speedups());
  };
  EXPECT_NEAR(of({std::exp(0.01), std::exp(-0.01)}), 0.03998, 1e-5);
  EXPECT_NEAR(of({5 * std::exp(0.01), 5 * std::exp(-0.01)}), 0.03998, 1e-5);
  EXPECT_EQ(of({1.0, 1.0}), 0.0);
  EXPECT_TRUE(std::isinf(of({1.0})));
}

// Fewer than two show nothing, and what failed claims nothing.
TEST(ClaimsTest, WithoutAPairNothingIsClaimed) {
  for (const std::size_t count : {0u, 1u}) {
    const Claims claims =
        AgainstEachOther(Judged(std::vector<double>(count, 2.0), 1.1));
    EXPECT_EQ(claims.pairs, 0);
    EXPECT_EQ(claims.held + claims.faster + claims.slower + claims.untold, 0);
  }
  TierNoise failed;
  failed.sessions.resize(4);
  EXPECT_EQ(AgainstRoot(failed).pairs, 0);
  EXPECT_EQ(AgainstEachOther(failed).pairs, 0);
  EXPECT_TRUE(failed.Speedups().empty());
  EXPECT_EQ(failed.Failed(), 4);
  EXPECT_TRUE(std::isinf(Resolution({})));
}

// One that failed between two is passed over: the others are a pair.
TEST(ClaimsTest, APairIsOfThoseThatPassed) {
  TierNoise noise = Judged({2.0, 9.0, 2.05}, 1.1);
  noise.sessions[1].speedup.reset();
  const Claims claims = AgainstEachOther(noise);
  EXPECT_EQ(claims.pairs, 1);
  EXPECT_EQ(claims.held, 1);
}

// However many sessions there are, a pair is counted in one way only.
TEST(ClaimsTest, EveryPairIsCountedOnce) {
  for (const double factor : {1.0001, 1.1, 3.0}) {
    const TierNoise noise =
        Judged({1.0, 1.2, 0.7, 1.5, 1.0, 0.99, 1.01, 2.0, 0.5}, factor);
    for (const Claims& claims : {AgainstRoot(noise), AgainstEachOther(noise)}) {
      EXPECT_LE(claims.faster + claims.slower + claims.untold, claims.pairs);
      EXPECT_LE(claims.held, claims.pairs);
    }
    EXPECT_EQ(AgainstRoot(noise).pairs, 9);
    EXPECT_EQ(AgainstEachOther(noise).pairs, 4);
  }
}

}  // namespace
}  // namespace coppice::engine
