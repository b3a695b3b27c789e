#include "engine/noise.h"

#include <cmath>
#include <limits>
#include <utility>

#include "engine/campaign.h"

namespace coppice::engine {

double Resolution(const TierNoise& noise) {
  if (noise.speedups.empty()) return std::numeric_limits<double>::infinity();
  double squares = 0.0;
  for (const double speedup : noise.speedups) {
    squares += std::log(speedup) * std::log(speedup);
  }
  const auto count = static_cast<double>(noise.speedups.size());
  return std::expm1(1.96 * std::sqrt(2.0 * squares / count));
}

Result<std::vector<TierNoise>> MeasureNoise(eval::Evaluator& evaluator,
                                            const Task& task, int sessions,
                                            const Clock& clock,
                                            const std::function<void()>& said) {
  const Candidate root = RootCandidate(task);
  // What is done once for a task, and a compilation, are no part of a session.
  TRY(first, evaluator.Evaluate(task, root, Tier::kFull));
  if (first.verdict != Verdict::kPassed &&
      first.verdict != Verdict::kInconclusive) {
    return Fail(Errc::kUsage, task.definition.name + ": its root does not " +
                                  "pass (" + std::string(Name(first.verdict)) +
                                  "); `coppice task check` says why");
  }
  std::vector<TierNoise> all;
  for (const Tier tier : {Tier::kFast, Tier::kFull}) {
    TierNoise noise;
    noise.tier = tier;
    std::vector<double> seconds;
    for (int i = 0; i < sessions; ++i) {
      const double start = clock.Monotonic();
      TRY(evaluation, evaluator.Evaluate(task, root, tier));
      seconds.push_back(clock.Monotonic() - start);
      noise.where = evaluation.environment;
      if (evaluation.speedup) {
        noise.speedups.push_back(evaluation.speedup->ratio);
        const auto& interval = evaluation.speedup->interval;
        noise.covered +=
            interval && interval->low <= 1.0 && interval->high >= 1.0 ? 1 : 0;
      } else {
        ++noise.failed;
      }
      said();
    }
    if (!seconds.empty()) noise.seconds = Median(std::move(seconds));
    all.push_back(std::move(noise));
  }
  return all;
}

}  // namespace coppice::engine
