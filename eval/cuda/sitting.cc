#include "eval/cuda/sitting.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eval/cuda/host_clock.h"
#include "eval/cuda/trial.h"
#include "eval/machine.h"

namespace coppice::eval::cuda {
namespace {

// REQUIRES: that of all workloads before, and no other, was timed.
Result<void> TimeHost(const SittingPlace& place, const Prepared& prepared,
                      const Runner& runner, std::size_t workload,
                      Trial& trial) {
  if (!trial.Passing() || !HasUntrustedHostCode(prepared)) return {};
  TRY(told, place.adopted.clocks[workload]->Time(
                runner, place.adopted.ClockNumber(workload),
                prepared.assignments[workload],
                Median(trial.result().samples_s), place.call_timeout_s));
  if (told.verdict != Verdict::kPassed) {
    trial.Fail(told.verdict, told.log);
  } else {
    trial.Charge(told.call_s);
  }
  return {};
}

}  // namespace

CudaDepth DepthFor(Tier tier) {
  if (tier == Tier::kFast) {
    return {5, 2, TimingBudget{10, 60, 0.15, 0.0015, 0.0}};
  }
  return {20, std::numeric_limits<std::size_t>::max(),
          TimingBudget{15, 200, 0.5, 0.0007, 0.0}};
}

Result<Sitting> Sit(const SittingPlace& place, const Prepared& prepared,
                    const CudaDepth& depth) {
  const auto& benches = place.adopted.benches;
  Sitting sitting;
  const auto start = Clock::now();
  if (HasUntrustedHostCode(prepared)) {
    TRY_DONE(
        place.adopted.OpenClocks(place.inputs, place.abilities.memory_bytes));
  }
  TRY(runner, place.runners.Take(prepared.libraries));
  std::vector<std::unique_ptr<Trial>> trials;
  const auto enter = [&](std::size_t i) {
    const Trial& trial = *trials[i];
    sitting.workloads[i] = trial.result();
    const Verdict verdict = trial.result().verdict;
    if (trial.log().empty()) return;
    sitting.verdict = verdict;
    sitting.log += Prefix(benches[i]->workload()) + trial.log() + "\n";
    if (verdict != Verdict::kPassed) sitting.log += Quote(runner->Output());
  };
  for (const auto& bench : benches) {
    sitting.workloads.emplace_back().workload = bench->workload().uuid;
  }
  for (std::size_t i = 0; i < benches.size(); ++i) {
    trials.push_back(std::make_unique<Trial>(*benches[i], place.abilities,
                                             place.call_timeout_s));
    Trial& trial = *trials.back();
    TRY_DONE(trial.Open(runner, static_cast<std::uint32_t>(i),
                        prepared.assignments[i]));
    TRY_DONE(trial.Check(depth.plain, depth.adversarial));
    enter(i);
    if (!trial.Passing()) break;
  }
  const auto checked = Clock::now();
  sitting.check_s = Seconds(checked - start);
  if (sitting.verdict == Verdict::kPassed && depth.timing) {
    TRY(lock,
        MeasurementLock::Acquire(place.cancelled, place.nvml.identity().uuid));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      TRY_DONE(trials[i]->Time(*depth.timing, place.quiet));
      TRY_DONE(TimeHost(place, prepared, runner, i, *trials[i]));
      // Of a single one its time is known.
      if (trials[i]->Passing() && prepared.assignments[i].launches.size() > 1) {
        TRY_DONE(trials[i]->Observe());
      }
      enter(i);
      sitting.workloads[i].temperature_c = place.nvml.TemperatureC();
      if (!trials[i]->Passing()) break;
    }
    sitting.timing_s = Seconds(Clock::now() - checked);
  }
  trials.clear();
  runner.reset();  // Its processes are gone before anybody hears of it.
  return sitting;
}

}  // namespace coppice::eval::cuda
