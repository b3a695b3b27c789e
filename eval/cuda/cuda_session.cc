#include "eval/cuda/cuda_session.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "eval/cuda/adversarial.h"
#include "eval/cuda/channel.h"
#include "eval/cuda/device_roofline.h"
#include "eval/cuda/host_clock.h"
#include "eval/cuda/loaded_task.h"
#include "eval/cuda/preparation.h"
#include "eval/cuda/profiling.h"
#include "eval/host/machine.h"
#include "eval/host/nvml.h"
#include "eval/judge/evaluation_session.h"
#include "eval/judge/measurement.h"
#include "eval/judge/operation_count.h"
#include "store/records/formatted.h"
#include "store/records/tier.h"

namespace coppice::eval::cuda {
namespace {

// A device's memory has phases of some 100 us, in which single calls take one
// of two times, and the median of such jumps.
constexpr int kCallsPerSample = 4;
constexpr double kFloorSlack = 0.9;

// One workload's part of a session.
struct Trial {
  Trial(CudaBench& bench, ChannelOptions options)
      : channel(bench, std::move(options)),
        measurement(channel, {.workload = bench.workload().uuid,
                              .rounds_per_sample = kCallsPerSample,
                              .seed = bench.Secret()}) {}

  CudaChannel channel;
  Measurement measurement;
  std::vector<std::uint32_t> kinds;  // It is checked on these.
};

using Trials = std::vector<std::unique_ptr<Trial>>;

// Takes the adversarial kinds that have been begun, unless more are asked for.
// Kinds are numbered from 1 on.
std::vector<std::uint32_t> SomeKinds(CudaBench& bench, std::size_t most) {
  std::vector<std::size_t> kinds = bench.adversarial().begun();
  if (kinds.size() < most) kinds = bench.adversarial().BeginAll();
  while (kinds.size() > most) {
    kinds.erase(kinds.begin() +
                static_cast<std::ptrdiff_t>(bench.Secret() % kinds.size()));
  }
  std::vector<std::uint32_t> numbers;
  for (const std::size_t kind : kinds) {
    numbers.push_back(static_cast<std::uint32_t>(kind + 1));
  }
  return numbers;
}

// 0 where nothing is known of one of both.
double ArithmeticSeconds(const OperationCount& work, double peak_flops) {
  return peak_flops > 0.0 ? work.flops / peak_flops : 0.0;
}

// What a time says beside what this device and its root can do.
Result<void> HoldAgainstDevice(const CudaBench& bench,
                               const SessionPlace& place,
                               Measurement& measurement) {
  if (!measurement.Passing()) return {};
  TRY(work,
      LeastWork(bench.task().definition, bench.workload(), bench.shapes()));
  WorkloadResult& result = measurement.result();
  const Abilities& abilities = place.abilities;
  const double floor_s = LeastBytes(bench.shapes(), abilities) /
                         static_cast<double>(std::max<std::uint64_t>(
                             abilities.copy_bytes_per_s, 1));
  const double arithmetic_s = ArithmeticSeconds(
      work, PeakFlops(place.device, abilities, bench.shapes()));
  result.floor_s = std::max(floor_s, arithmetic_s);
  const double median_s = Median(result.samples_s);
  const double root_s = Median(result.root_samples_s);
  if (median_s < kFloorSlack * arithmetic_s) {
    measurement.Fail(Rejected(
        Breach::kTooFast,
        Formatted("%.3g us a call is less than the %.3g us in which all tensor "
                  "cores of this device can do its %.3g operations",
                  median_s * 1e6, arithmetic_s * 1e6, work.flops)));
  } else if (median_s < kFloorSlack * floor_s) {
    measurement.Fail(
        {Verdict::kInconclusive,
         Formatted("%.3g us a call is less than the %.3g us in which this "
                   "device can move its inputs and outputs",
                   median_s * 1e6, floor_s * 1e6)});
  } else if (bench.IsSlow(root_s)) {
    measurement.Fail(
        {Verdict::kInconclusive,
         Formatted("beside it the root takes %.3g us, alone it took %.3g us: "
                   "something else uses the device",
                   root_s * 1e6, bench.root_alone_s() * 1e6)});
  } else {
    measurement.Remark(
        Formatted("%.0f %% of the copy bandwidth", 100.0 * floor_s / median_s));
  }
  return {};
}

// More than the events tell is added to the samples.
void Charge(double call_s, Measurement& measurement) {
  std::vector<double>& samples = measurement.result().samples_s;
  const double median_s = Median(samples);
  if (!Exceeds(call_s, median_s)) {
    return measurement.Remark(
        Formatted("%.3g us by the wall clock", std::max(call_s, 0.0) * 1e6));
  }
  for (double& sample : samples) sample += call_s - median_s;
  measurement.Remark(
      Formatted("%.3g us by the wall clock, which counts, for events told of "
                "%.3g us",
                call_s * 1e6, median_s * 1e6));
}

// What the wall clock says of a call of host code.
// REQUIRES: that of all workloads before, and no other, was timed.
Result<void> TimeHost(const SessionPlace& place, const Prepared& prepared,
                      const Runner& runner, std::size_t workload,
                      Measurement& measurement) {
  if (!measurement.Passing() || !HasUntrustedHostCode(prepared)) return {};
  TRY(told, place.loaded_task.clocks[workload]->Time(
                runner, place.loaded_task.ClockNumber(workload),
                prepared.assignments[workload],
                Median(measurement.result().samples_s), place.call_timeout_s));
  if (told.verdict != Verdict::kPassed) {
    measurement.Fail(told);
  } else {
    Charge(told.call_s, measurement);
  }
  return {};
}

// A call more, in which the launches of device code are told apart: of a
// single one its time is known.
Result<void> Observe(const Abilities& abilities, std::size_t launches,
                     Trial& trial) {
  if (!trial.measurement.Passing() || launches < 2) return {};
  TRY(filled, trial.channel.Fill({}));
  if (filled.verdict != Verdict::kPassed) {
    trial.measurement.Fail(filled);
    return {};
  }
  TRY(answer, trial.channel.TakeInventory());
  if (answer.verdict != Verdict::kPassed) {
    trial.measurement.Fail(answer);
    return {};
  }
  AddTimes(answer.reply.inventory, abilities.multiprocessor,
           trial.measurement.result().profile.emplace().kernels);
  return {};
}

// The hint on the workloads that the candidate met.
Result<std::optional<Hint>> HintOfAll(const Trials& trials) {
  std::vector<std::vector<double>> log_factors;
  for (const auto& trial : trials) {
    TRY(rounds, trial->measurement.RunForHint());
    log_factors.push_back(std::move(rounds));
    if (log_factors.back().empty()) break;
  }
  return HintOf(log_factors);
}

void Record(const Trial& trial, const CudaBench& bench, WorkloadResult& result,
            EvaluationSession& session) {
  Record(
      trial.measurement, bench.workload(),
      [&] { return trial.channel.Output(); }, result, session);
}

// On one workload after the other, until it fails.
Result<void> CheckAll(const SessionPlace& place, const Prepared& prepared,
                      const Runner& runner, std::size_t adversarial, int plain,
                      Trials& trials, EvaluationSession& session) {
  const auto& benches = place.loaded_task.benches;
  for (const auto& bench : benches) {
    session.workloads.emplace_back().workload = bench->workload().uuid;
  }
  for (std::size_t i = 0; i < benches.size(); ++i) {
    trials.push_back(std::make_unique<Trial>(
        *benches[i], ChannelOptions{.process = runner,
                                    .number = static_cast<std::uint32_t>(i),
                                    .runners = place.runners,
                                    .libraries = prepared.libraries,
                                    .runner_program = prepared.assignments[i],
                                    .abilities = place.abilities,
                                    .timeout_s = place.call_timeout_s}));
    Trial& trial = *trials.back();
    TRY_DONE(trial.measurement.Load());
    trial.kinds = SomeKinds(*benches[i], adversarial);
    TRY_DONE(trial.measurement.Check({.plain = plain, .kinds = trial.kinds}));
    Record(trial, *benches[i], session.workloads[i], session);
    if (!trial.measurement.Passing()) break;
  }
  return {};
}

Result<void> TimeAll(const SessionPlace& place, const Prepared& prepared,
                     const Runner& runner, const TimingBudget& budget,
                     Trials& trials, EvaluationSession& session) {
  const auto& benches = place.loaded_task.benches;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Measurement& measurement = trials[i]->measurement;
    TRY_DONE(measurement.Time({.budget = budget,
                               .kinds = trials[i]->kinds,
                               .stability = &place.stability}));
    TRY_DONE(HoldAgainstDevice(*benches[i], place, measurement));
    TRY_DONE(TimeHost(place, prepared, runner, i, measurement));
    TRY_DONE(Observe(place.abilities, prepared.assignments[i].launches.size(),
                     *trials[i]));
    Record(*trials[i], *benches[i], session.workloads[i], session);
    session.workloads[i].temperature_c = place.temperature_c();
    if (!measurement.Passing()) break;
  }
  return {};
}

}  // namespace

CudaDepth DepthFor(Tier tier) {
  if (tier == Tier::kFast) {
    return {5, 2, TimingBudget{10, 60, 0.15, 0.0015, 0.0}, true};
  }
  return {20, std::numeric_limits<std::size_t>::max(),
          TimingBudget{15, 200, 0.5, 0.0007, 0.0}};
}

Result<EvaluationSession> RunSession(const SessionPlace& place,
                                     const Prepared& prepared,
                                     const CudaDepth& depth) {
  EvaluationSession session;
  const auto start = Clock::now();
  if (HasUntrustedHostCode(prepared)) {
    TRY_DONE(place.loaded_task.OpenClocks(place.inputs,
                                          place.abilities.memory_bytes));
  }
  TRY(runner, place.runners.Take(prepared.libraries));
  Trials trials;
  TRY_DONE(CheckAll(place, prepared, runner, depth.adversarial, depth.plain,
                    trials, session));
  const auto checked = Clock::now();
  session.check_s = Seconds(checked - start);
  if (session.verdict == Verdict::kPassed && depth.timing) {
    TRY(lock, MeasurementLock::Acquire(place.cancelled, place.device.uuid));
    TRY_DONE(TimeAll(place, prepared, runner, *depth.timing, trials, session));
    session.timing_s = Seconds(Clock::now() - checked);
  }
  if (session.verdict == Verdict::kWrongOutput && depth.hints && depth.timing) {
    TRY(lock, MeasurementLock::Acquire(place.cancelled, place.device.uuid));
    TRY_ASSIGN(session.hint, HintOfAll(trials));
    session.timing_s = Seconds(Clock::now() - checked);
  }
  trials.clear();
  runner.reset();  // Its processes are gone before anybody hears of it.
  return session;
}

}  // namespace coppice::eval::cuda
