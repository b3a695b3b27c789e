#include "engine/campaign/tuning.h"

#include <cmath>
#include <string>
#include <utility>

namespace coppice::engine {
namespace {

std::optional<double> LogSpeedup(const Evaluation& evaluation) {
  if (!evaluation.speedup) return std::nullopt;
  return std::log(evaluation.speedup->ratio);
}

}  // namespace

ConfigurationWalk::ConfigurationWalk(
    std::span<const TuningParameter> parameters, Configuration start,
    double log_speedup)
    : parameters_(parameters),
      best_(std::move(start)),
      best_log_speedup_(log_speedup) {
  tried_.insert(best_);
}

// From the best, unless the list ends there.
std::optional<Configuration> ConfigurationWalk::Step(std::size_t parameter,
                                                     bool up) const {
  Configuration next = best_;
  std::size_t& choice = next[parameter];
  if (up ? choice + 1 == parameters_[parameter].choices.size() : choice == 0) {
    return std::nullopt;
  }
  choice += up ? 1 : static_cast<std::size_t>(-1);
  return next;
}

std::optional<Configuration> ConfigurationWalk::Next() {
  const std::size_t steps = 2 * parameters_.size();
  for (std::size_t i = 0; i < steps; ++i) {
    auto step = Step(parameter_, up_);
    if (step && !tried_.contains(*step)) return step;
    if (!up_) parameter_ = (parameter_ + 1) % parameters_.size();
    up_ = !up_;
  }
  return std::nullopt;
}

void ConfigurationWalk::Tell(const Configuration& tried,
                             std::optional<double> log_speedup) {
  tried_.insert(tried);
  if (!log_speedup || *log_speedup <= best_log_speedup_) return;
  best_ = tried;
  best_log_speedup_ = *log_speedup;
}

std::size_t ChooseTrial(std::span<const TuningTrial> trials) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const auto& speedup = trials[i].evaluation.speedup;
    if (!speedup) continue;
    if (speedup->ratio > trials[best].evaluation.speedup->ratio) best = i;
  }
  const Speedup gain =
      Over(*trials[best].evaluation.speedup, *trials[0].evaluation.speedup);
  return gain.Sign() > 0 ? best : 0;
}

Result<Tuned> Tune(
    const Candidate& candidate, std::span<const TuningParameter> parameters,
    Evaluation first, std::int64_t most_trials,
    const std::function<Result<Evaluation>(const Candidate&)>& judge) {
  Tuned tuned;
  const Configuration start = AuthorsChoice(parameters);
  ConfigurationWalk walk(parameters, start, *LogSpeedup(first));
  tuned.trials.push_back({start, std::move(first)});
  for (std::int64_t trial = 0; trial < most_trials; ++trial) {
    const auto next = walk.Next();
    if (!next) break;
    Candidate configured = candidate;
    configured.source = Configured(candidate.source, parameters, *next);
    TRY(evaluation, judge(configured));
    walk.Tell(*next, LogSpeedup(evaluation));
    tuned.trials.push_back({*next, std::move(evaluation)});
  }
  tuned.best = ChooseTrial(tuned.trials);
  return tuned;
}

}  // namespace coppice::engine
