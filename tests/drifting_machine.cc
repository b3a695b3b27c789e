#include "tests/drifting_machine.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/records/tier.h"

namespace coppice {
namespace {

constexpr double kRoot_s = 1e-3;
constexpr double kDrift = 0.8;      // Of a session's logarithm.
constexpr double kLayout = 0.01;    // Of a process's.
constexpr double kJitter = 0.03;    // Of a round's.
constexpr double kFewRounds = 0.1;  // Of the sessions: they give no interval.

std::optional<std::uint64_t> VariantOf(const std::string& source) {
  constexpr std::string_view kMark = "variant_";
  const std::size_t at = source.find(kMark);
  if (at == source.npos) return std::nullopt;
  return std::strtoull(source.c_str() + at + kMark.size(), nullptr, 10);
}

}  // namespace

Verdict DriftingMachine::VerdictOf(std::uint64_t variant, double luck) {
  const int look = ++looks_[variant];
  const std::uint64_t kind =
      RandomStream(seed_, Purpose::kSimulation, variant).Below(100);
  if (kind < 8) return Verdict::kCompileFailed;
  if (kind < 14) return Verdict::kWrongOutput;
  if (kind < 45 && look > 2) return Verdict::kWrongOutput;
  if (kind >= 72 && kind < 80) {
    return look == 1 ? Verdict::kInconclusive : Verdict::kWrongOutput;
  }
  if (kind >= 80 && luck < 0.5) return Verdict::kInconclusive;
  return Verdict::kPassed;
}

void DriftingMachine::Time(Evaluation& evaluation, double log_speedup,
                           std::uint64_t session) {
  RandomStream draws(seed_, Purpose::kInputs, session);
  const double drift = std::exp(kDrift * draws.Normal());
  const bool is_short = draws.Uniform() < kFewRounds;
  const int sessions = evaluation.tier == Tier::kFull ? 2 : 1;
  const int rounds = is_short ? 2 : 6;
  for (WorkloadResult& result : evaluation.workloads) {
    for (int number = 0; number < sessions; ++number) {
      const double layout = kLayout * draws.Normal();
      for (int round = 0; round < rounds; ++round) {
        const double now_s =
            kRoot_s * drift * std::exp(kJitter * draws.Normal());
        result.root_samples_s.push_back(now_s);
        result.samples_s.push_back(
            now_s * std::exp(layout - log_speedup + kJitter * draws.Normal()));
        result.readings.emplace_back().session = number;
      }
    }
    result.between_processes = ProcessSpread{kLayout * kLayout, 30.0};
    result.floor_s = 1e-6;
  }
  Summarise(evaluation);
}

Result<Evaluation> DriftingMachine::Evaluate(const Task& task,
                                             const Candidate& candidate,
                                             Tier tier) {
  const std::uint64_t session = sessions_++;
  Evaluation evaluation;
  evaluation.tier = tier;
  evaluation.environment.hardware = kHardware;
  evaluation.timing_s = 1.0;
  double log_speedup = 0.0;
  evaluation.verdict = Verdict::kPassed;
  if (const auto variant = VariantOf(candidate.source)) {
    RandomStream draws(seed_, Purpose::kStatistics, session);
    evaluation.verdict = VerdictOf(*variant, draws.Uniform());
    RandomStream law(seed_, Purpose::kSimulation, *variant);
    log_speedup = mean_ + deviation_ * law.Normal();
  }
  evaluation.log = std::string("log: ") + std::string(Name(evaluation.verdict));
  if (evaluation.verdict == Verdict::kCompileFailed) return evaluation;
  for (const Workload& workload : task.workloads) {
    WorkloadResult& result = evaluation.workloads.emplace_back();
    result.workload = workload.uuid;
    result.verdict = evaluation.verdict;
    result.calls_verified = 1;
  }
  if (evaluation.verdict == Verdict::kPassed) {
    Time(evaluation, log_speedup, session);
  }
  return evaluation;
}

}  // namespace coppice
