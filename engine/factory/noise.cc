#include "engine/factory/noise.h"

#include <cmath>
#include <limits>
#include <utility>

#include "engine/campaign/campaign.h"
#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
namespace coppice::engine {
namespace {

void Enter(const coppice::Speedup& of_equals, Claims& claims) {
  ++claims.pairs;
  if (!of_equals.interval) {
    ++claims.untold;
    return;
  }
  if (of_equals.interval->low <= 1.0 && of_equals.interval->high >= 1.0) {
    ++claims.held;
  }
  if (of_equals.Sign() > 0) ++claims.faster;
  if (of_equals.Sign() < 0) ++claims.slower;
}

}  // namespace

std::vector<coppice::Speedup> TierNoise::Speedups() const {
  std::vector<coppice::Speedup> speedups;
  for (const Evaluation& session : sessions) {
    if (session.speedup) speedups.push_back(*session.speedup);
  }
  return speedups;
}

int TierNoise::Failed() const {
  return static_cast<int>(sessions.size() - Speedups().size());
}

Claims AgainstRoot(const TierNoise& noise) {
  Claims claims;
  for (const coppice::Speedup& speedup : noise.Speedups())
    Enter(speedup, claims);
  return claims;
}

Claims AgainstEachOther(const TierNoise& noise) {
  Claims claims;
  const std::vector<coppice::Speedup> speedups = noise.Speedups();
  for (std::size_t i = 1; i < speedups.size(); i += 2) {
    Enter(Over(speedups[i], speedups[i - 1]), claims);
  }
  return claims;
}

double Resolution(const std::vector<coppice::Speedup>& speedups) {
  if (speedups.size() < 2) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(speedups.size());
  double mean = 0.0;
  for (const coppice::Speedup& each : speedups)
    mean += std::log(each.ratio) / count;
  double squares = 0.0;
  for (const coppice::Speedup& each : speedups) {
    squares += std::pow(std::log(each.ratio) - mean, 2);
  }
  return std::expm1(1.96 * std::sqrt(2.0 * squares / (count - 1.0)));
}

Result<std::vector<TierNoise>> MeasureNoise(eval::Evaluator& evaluator,
                                            const Task& task,
                                            const Candidate& kernel,
                                            const std::vector<Tier>& tiers,
                                            int sessions, const Clock& clock,
                                            const std::function<void()>& said) {
  // What is done once for a task, and a compilation, are no part of a session.
  TRY(first, evaluator.Evaluate(task, kernel, tiers.back()));
  if (first.verdict != Verdict::kPassed &&
      first.verdict != Verdict::kInconclusive) {
    return Fail(Errc::kUsage, task.definition.name + ": it does not pass (" +
                                  std::string(Name(first.verdict)) +
                                  "); `coppice task check` says why of a root");
  }
  std::vector<TierNoise> all;
  for (const Tier tier : tiers) {
    TierNoise noise{.tier = tier, .sessions = {}, .seconds = {}};
    for (int i = 0; i < sessions; ++i) {
      const double start = clock.Monotonic();
      TRY(evaluation, evaluator.Evaluate(task, kernel, tier));
      noise.seconds.push_back(clock.Monotonic() - start);
      noise.sessions.push_back(std::move(evaluation));
      said();
    }
    all.push_back(std::move(noise));
  }
  return all;
}

}  // namespace coppice::engine
