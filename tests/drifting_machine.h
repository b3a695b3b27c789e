// For tests: an evaluator on a machine whose every session is faster or slower
// than the one before by a factor, which slows root and candidate alike, and
// whose rounds vary by some per cent.  Seconds of two sessions say nothing of
// two kernels there, and one session little.
//
// A source is what its variant is: "variant_17" in it.  How fast that is, and
// whether it fails, the seed tells.  Without a variant it is the root.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "eval/judge/evaluator.h"

namespace coppice {

class DriftingMachine final : public eval::Evaluator {
 public:
  // Variants' log speedups are normal.
  DriftingMachine(std::uint64_t seed, double mean, double deviation)
      : seed_(seed), mean_(mean), deviation_(deviation) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override;

  static constexpr const char* kHardware = "a drifting machine";

 private:
  // Some of 100 variants do not compile, are wrong, are found to be wrong when
  // they are looked at for the third time, cannot be told at first and are
  // wrong then, or cannot be told half of the time.
  Verdict VerdictOf(std::uint64_t variant, double luck);
  void Time(Evaluation& evaluation, double log_speedup, std::uint64_t session);

  const std::uint64_t seed_;
  const double mean_;
  const double deviation_;
  std::uint64_t sessions_ = 0;
  std::map<std::uint64_t, int> looks_;  // At a variant.
};

}  // namespace coppice
