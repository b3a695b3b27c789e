#include "eval/cuda/host_clock.h"

#include <algorithm>
#include <limits>

#include "eval/cuda/adversarial.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kDataSeconds = 0.04;  // For the data of one batch.
constexpr std::uint32_t kLeastCalls = 4;
constexpr int kLeastBatches = 3;
// By which what is beside the calls may grow while others are there.
constexpr double kBelievedShare = 1.1;
constexpr int kMostBatches = 8;  // While the clocks differ.
constexpr double kRootSeconds = 60.0;
// By which the wall clock may tell of more than the events.
constexpr double kBearableShare = 1.01;
constexpr double kBearable = 0.2e-6;
// What is slower than expected by this much has other reasons.
constexpr double kPatience = 10.0;
constexpr std::uint64_t kMostMemory = std::uint64_t{6} << 30;
constexpr std::uint64_t kMemoryShare = 12;

}  // namespace

bool Exceeds(double call_s, double event_s) {
  return call_s > kBearableShare * event_s + kBearable;
}

double Believed(double nothing_s, double alone_s) {
  return std::min(nothing_s, kBelievedShare * alone_s);
}

std::uint32_t BatchSize(const Shapes& shapes, double data_set_cost_s,
                        std::uint64_t memory_bytes) {
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  for (const TensorShape& shape : shapes.inputs) {
    if (shape.scalar) continue;
    tensors += 1;
    bytes += 2 * Place(shape).pages_bytes;  // With the trusted runner's own.
  }
  for (const TensorShape& shape : shapes.outputs) {
    tensors += 2;  // With the copy that counts.
    bytes += 2 * Place(shape).pages_bytes +
             2 * shape.elements * sizeof(double);  // And what is expected.
  }
  std::uint64_t most = std::min<std::uint64_t>(
      kMaxSets, kMaxShared / std::max<std::uint64_t>(tensors, 1));
  most = std::min(most, std::min(kMostMemory, memory_bytes / kMemoryShare) /
                            std::max<std::uint64_t>(bytes, 1));
  const double affordable = kDataSeconds / std::max(data_set_cost_s, 1e-6);
  most = std::min(most, static_cast<std::uint64_t>(affordable));
  return std::max(kLeastCalls, static_cast<std::uint32_t>(most));
}

Result<std::unique_ptr<HostClock>> HostClock::Open(
    const TrustedRunners& runners, CudaBenchOptions options,
    const CudaBench& usual, std::uint64_t memory_bytes) {
  std::unique_ptr<HostClock> clock(new HostClock());
  options.batch =
      BatchSize(usual.shapes(), usual.data_set_cost_s(), memory_bytes);
  TRY_ASSIGN(clock->bench_, CudaBench::Open(runners, std::move(options),
                                            usual.task(), usual.workload()));
  // Treated as a process with host code is.
  clock->bench_->root().Guard(true);
  TRY_DONE(clock->Renew());
  TRY_ASSIGN(clock->alone_s_, clock->TimeNothing());
  return clock;
}

Result<void> HostClock::Renew() {
  for (std::uint32_t data = 0; data < bench_->sets(); ++data) {
    TRY_DONE(bench_->Renew(data));
  }
  bench_->ShareScalars();
  return {};
}

// A batch of one call of the root, without that call.
Result<double> HostClock::TimeNothing() {
  double least_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2; ++i) {
    TRY(batch, bench_->GoAll(bench_->root(), 1, kRootSeconds));
    if (batch.verdict != Verdict::kPassed) {
      return Fail(Errc::kUsage,
                  bench_->task().definition.name + ": root: " + batch.log);
    }
    least_s = std::min(least_s, batch.wall_s);
  }
  return least_s - bench_->root_alone_s();
}

Result<HostClock::Told> HostClock::Judge() {
  for (std::uint32_t set = 0; set < bench_->sets(); ++set) {
    TRY(judgement, bench_->Judge(set, set));
    if (judgement.changed_inputs != 0) {
      return Told{Rejected(Breach::kWroteInput, "it changed an input")};
    }
    for (std::size_t i = 0; i < bench_->shapes().outputs.size(); ++i) {
      const OutputErrors& finding = judgement.output[i];
      std::string wrong = DescribeFinding(finding, bench_->shapes().outputs[i],
                                          bench_->task().tolerance);
      if (wrong.empty()) continue;
      return Told{OutcomeOf(finding, "of many calls in a row: " + wrong)};
    }
  }
  return Told{};
}

Result<HostClock::Told> HostClock::Time(std::shared_ptr<RunnerProcess> process,
                                        std::uint32_t number,
                                        const RunnerProgram& runner_program,
                                        double expected_s, double timeout_s) {
  TRY(kernel_process,
      KernelProcess::Open(std::move(process), number, runner_program,
                          bench_->shapes(), bench_->sets(), bench_->tensors(),
                          timeout_s));
  if (kernel_process.opened().verdict != Verdict::kPassed) {
    return Told{kernel_process.opened()};
  }
  const auto calls = static_cast<double>(bench_->sets());
  const double patience_s = timeout_s + kPatience * expected_s * calls;
  double beside_s = std::numeric_limits<double>::infinity();
  double batch_s = std::numeric_limits<double>::infinity();
  Told told;
  // Whatever disturbs a batch makes it longer.
  for (int i = 0; i < kMostBatches; ++i) {
    TRY(nothing_s, TimeNothing());
    beside_s = std::min(beside_s, Believed(nothing_s, alone_s_));
    TRY_DONE(Renew());
    TRY(batch, bench_->GoAll(kernel_process, bench_->sets(), patience_s));
    if (batch.verdict != Verdict::kPassed) {
      return Told{std::move(batch)};
    }
    TRY(judged, Judge());
    if (judged.verdict != Verdict::kPassed) return judged;
    batch_s = std::min(batch_s, batch.wall_s);
    told.call_s = (batch_s - beside_s) / calls;
    if (i + 1 >= kLeastBatches && !Exceeds(told.call_s, expected_s)) break;
  }
  return told;
}

}  // namespace coppice::eval::cuda
