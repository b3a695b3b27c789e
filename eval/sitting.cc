#include "eval/sitting.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/machine.h"

namespace coppice::eval {
namespace {

constexpr std::size_t kPrintedLimit = 4096;  // In a log.
constexpr double kAgreement = 0.10;          // Of relative speeds.
constexpr int kMostSittings = 3;

using Trials = std::vector<std::unique_ptr<Trial>>;

// Enters a trial's result, and its log under the first failure or a pass.
void Record(const Trial& trial, const Bench& bench, WorkloadResult& result,
            Sitting& sitting) {
  result = trial.result();
  const Verdict verdict = result.verdict;
  const bool explains = verdict == sitting.verdict
                            ? verdict == Verdict::kPassed
                            : sitting.verdict == Verdict::kPassed;
  if (!explains || trial.log().empty()) return;
  sitting.verdict = verdict;
  sitting.log += Prefix(bench.workload()) + trial.log() + "\n";
  if (verdict != Verdict::kPassed) sitting.log += Quote(trial.Output());
}

Result<void> CheckAll(const Benches& benches, const Program& program,
                      const Depth& depth, Trials& trials, Sitting& sitting) {
  for (const auto& bench : benches) {
    WorkloadResult& result = sitting.workloads.emplace_back();
    result.workload = bench->workload().uuid;
    // The next workload would cost the whole time limit again.
    if (sitting.verdict == Verdict::kTimedOut) continue;
    auto trial = std::make_unique<Trial>(*bench, program, depth.fresh_s);
    TRY_DONE(trial->Check(depth.checks));
    Record(*trial, *bench, result, sitting);
    trials.push_back(std::move(trial));
  }
  return {};
}

Result<void> TimeAll(const Benches& benches, const Depth& depth,
                     const std::atomic<bool>* cancelled, Trials& trials,
                     Sitting& sitting) {
  TRY(lock, MeasurementLock::Acquire(cancelled));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    TRY_DONE(trials[i]->Time(depth.timing));
    Record(*trials[i], *benches[i], sitting.workloads[i], sitting);
    sitting.workloads[i].temperature_c = ProcessorTemperatureC();
  }
  return {};
}

// When everything is timed, so that it disturbs nothing.
Result<void> CountAll(const Benches& benches, const Depth& depth,
                      Trials& trials, Sitting& sitting) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    TRY_DONE(trials[i]->Count(depth.counted_s));
    const bool failed = trials[i]->result().verdict != Verdict::kPassed;
    sitting.workloads[i].profile = trials[i]->result().profile;
    if (failed) Record(*trials[i], *benches[i], sitting.workloads[i], sitting);
  }
  return {};
}

double LogSpeed(const WorkloadResult& result) {
  return std::log(Median(result.root_samples_s) / Median(result.samples_s));
}

// Of LogSpeed, squared.
double Variance(const WorkloadResult& result) {
  const double own = MedianNoise(result.samples_s);
  const double root = MedianNoise(result.root_samples_s);
  const double variance = own * own + root * root;
  return std::isfinite(variance) ? variance : 0.0;
}

}  // namespace

std::string ShapeText(const Workload& workload) {
  std::string axes;
  for (const auto& [axis, value] : workload.axes) {
    axes += (axes.empty() ? "" : ", ") + axis + "=" + std::to_string(value);
  }
  return axes;
}

std::string Prefix(const Workload& workload) {
  return "workload " + workload.uuid + " (" + ShapeText(workload) + "): ";
}

std::string Quote(const std::string& printed) {
  if (printed.empty()) return "";
  const bool is_cut = printed.size() > kPrintedLimit;
  return "it printed:\n" + printed.substr(0, kPrintedLimit) +
         (is_cut ? "\n[cut]\n" : "\n");
}

Result<Sitting> Sit(const Benches& benches, const Program& program,
                    const Depth& depth, const std::atomic<bool>* cancelled) {
  Sitting sitting;
  Trials trials;  // Gone with their processes before anybody hears of it.
  const auto start = Clock::now();
  TRY_DONE(CheckAll(benches, program, depth, trials, sitting));
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (sitting.verdict == Verdict::kPassed) {
    TRY_DONE(TimeAll(benches, depth, cancelled, trials, sitting));
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  if (sitting.verdict == Verdict::kPassed && depth.counted_s > 0.0) {
    TRY_DONE(CountAll(benches, depth, trials, sitting));
  }
  return sitting;
}

bool Agree(const Sitting& a, const Sitting& b) {
  for (std::size_t i = 0; i < a.workloads.size(); ++i) {
    const double apart =
        std::abs(LogSpeed(a.workloads[i]) - LogSpeed(b.workloads[i]));
    const double error =
        std::sqrt(Variance(a.workloads[i]) + Variance(b.workloads[i]));
    if (apart > std::max(std::log(1.0 + kAgreement), 3.0 * error)) return false;
  }
  return true;
}

void Enter(const Sitting& sitting, int number, Evaluation& evaluation) {
  evaluation.verdict = sitting.verdict;
  evaluation.check_s += sitting.check_s;
  evaluation.timing_s += sitting.timing_s;
  evaluation.log += sitting.log;
  evaluation.workloads.resize(sitting.workloads.size());
  for (std::size_t i = 0; i < sitting.workloads.size(); ++i) {
    WorkloadResult& all = evaluation.workloads[i];
    const WorkloadResult& more = sitting.workloads[i];
    all.workload = more.workload;
    all.verdict = more.verdict;
    all.worst_error_ratio =
        std::max(all.worst_error_ratio, more.worst_error_ratio);
    all.max_absolute_error =
        std::max(all.max_absolute_error, more.max_absolute_error);
    all.max_relative_error =
        std::max(all.max_relative_error, more.max_relative_error);
    all.calls_verified += more.calls_verified;
    all.discarded_samples += more.discarded_samples;
    all.temperature_c = more.temperature_c;
    all.floor_s = more.floor_s;
    if (more.profile) all.profile = more.profile;
    all.samples_s.insert(all.samples_s.end(), more.samples_s.begin(),
                         more.samples_s.end());
    all.root_samples_s.insert(all.root_samples_s.end(),
                              more.root_samples_s.begin(),
                              more.root_samples_s.end());
    for (Reading reading : more.readings) {
      reading.session = number;
      all.readings.push_back(reading);
      if (!reading.cpu_s) continue;
      evaluation.device_s = evaluation.device_s.value_or(0.0) +
                            *reading.cpu_s * static_cast<double>(reading.calls);
    }
  }
  if (sitting.verdict == Verdict::kPassed) return;
  for (WorkloadResult& result : evaluation.workloads) {
    result.samples_s.clear();
    result.root_samples_s.clear();
    result.readings.clear();
  }
}

Result<void> SitUntilTwoAgree(Sitting first,
                              const std::function<Result<Sitting>()>& sit_again,
                              Evaluation& evaluation) {
  std::vector<Sitting> sittings;
  sittings.push_back(std::move(first));
  for (int number = 1; number < kMostSittings; ++number) {
    TRY(next, sit_again());
    Enter(next, number, evaluation);
    if (next.verdict != Verdict::kPassed) return {};
    for (const Sitting& before : sittings) {
      if (Agree(before, next)) return {};
    }
    sittings.push_back(std::move(next));
  }
  evaluation.verdict = Verdict::kInconclusive;
  evaluation.log +=
      "no two of three sessions agree on how fast it is: cannot tell\n";
  return {};
}

}  // namespace coppice::eval
